import { inputError, LaconicError, mapValues } from "@laconic/core";
import type { Episode, Grader, Problem, RewardTerms } from "@laconic/core";
import type { Costs } from "./costs.ts";

/** Grade and costs before prices. */
export interface MeasuredReward {
  /** 0 to 1; NaN if not applicable. */
  readonly task: number;
  /** Default `{ task }`. */
  readonly terms?: RewardTerms;
  readonly costs: Readonly<Record<string, number>>;
}

/**
 * Grades an episode and measures its costs; estimators skip NaN.
 * @throws LaconicError `reward_invalid` if the grader throws or a value is out of range; `input_invalid` if episode and
 * problem do not match
 */
export function measureEpisode(grader: Grader, costs: Costs, episode: Episode, problem: Problem): MeasuredReward {
  if (episode.problemId !== problem.id)
    throw inputError(`the episode is about problem "${episode.problemId}" but is scored with problem "${problem.id}"`, {
      problemId: problem.id,
      found: episode.problemId,
    });
  const task = measured(problem.id, "task", 1, () => grader(episode.answer, problem));
  return { task, costs: measureCosts(costs, episode) };
}

/**
 * Measures the units of each cost.
 * @throws LaconicError `reward_invalid` for a cost that is neither NaN nor >= 0
 */
export function measureCosts(costs: Costs, episode: Episode): Readonly<Record<string, number>> {
  return mapValues(costs, (cost, name) =>
    measured(episode.problemId, name, Number.MAX_VALUE, () => cost.measure(episode)),
  );
}

function measured(problemId: string, term: string, max: number, measure: () => unknown): number {
  const where = { problemId, term };
  let value: unknown;
  try {
    value = measure();
  } catch (cause) {
    throw new LaconicError("reward_invalid", `problem "${problemId}", term "${term}": measuring threw`, where, cause);
  }
  if (typeof value === "number" && (Number.isNaN(value) || (value >= 0 && value <= max))) return value;
  const match = typeof value === "number" || typeof value === "string" ? String(value) : typeOf(value);
  throw new LaconicError(
    "reward_invalid",
    `problem "${problemId}", term "${term}": got ${match}; it must be a number ` +
      `${max === 1 ? "from 0 to 1" : "from 0 up"}, or NaN where it does not apply`,
    { ...where, found: match },
  );
}

/** `[object Promise]` for a grader without `await`. */
const typeOf = (value: unknown) => Object.prototype.toString.call(value);

/**
 * Mean units per episode by cost (Eq. 5), without NaN; NaN without values.
 * @throws LaconicError `numeric_invalid`
 */
export function meanCosts(episodes: readonly MeasuredReward[]): Readonly<Record<string, number>> {
  const names = Object.keys(episodes[0]?.costs ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = episodes.map(({ costs }) => costs[name] ?? NaN).filter((value) => !Number.isNaN(value));
      const sum = values.reduce((total, value) => total + value, 0);
      if (Math.abs(sum) === Infinity)
        throw new LaconicError("numeric_invalid", `cost "${name}": the sum of ${values.length} episodes overflows`, {
          name,
        });
      return [name, sum / values.length];
    }),
  );
}
