import { configError, refuseSetting, shownValue } from "@laconic/core";
import type { Curriculum, Learned, Problem, Random, UnknownRecord } from "@laconic/core";
import { checkedCall } from "@laconic/core/checks";
import type { TrainingTask } from "@laconic/topologies";
import { inEpochs } from "../epochs.ts";
import type { TrainConfig } from "../settings/config.ts";

/** Returns a step's problems. @param learned - for a curriculum */
export type ProblemSource = (step: number, stream: Random, learned: Learned) => Problem[];

/**
 * New problems from an endless task, else a pool in epochs. An epoch visits each problem once in a new random order,
 * and can end within a step. Problems depend only on step and seed, so that a resumed run continues the same sequence.
 * @throws LaconicError `config_invalid` for fewer problems than `problemPool`, or none
 */
export function problemSource(
  task: Pick<TrainingTask, "name" | "problems" | "pool">,
  { problemPool, problemsPerStep, seed }: Pick<TrainConfig, "problemPool" | "problemsPerStep" | "seed">,
  random: Random,
  curriculum: Curriculum | null = null,
): ProblemSource {
  if (problemPool === null && !task.pool) {
    if (curriculum)
      throw configError(
        `curriculum: ${task.name} has unlimited problems; set problemPool to the number of candidates`,
        { key: "problemPool" },
      );
    return (_, stream) => drawnProblems(task, stream.split("problems"), problemsPerStep);
  }
  const drawn = random.split(`pool:${seed}`);
  const all = task.pool ?? distinct(task, problemPool ?? 0, drawn);
  const pool = task.pool && problemPool !== null ? drawn.shuffle(task.pool).slice(0, problemPool) : all;
  if (pool.length === 0 || pool.length < (problemPool ?? 0))
    refuseSetting("problemPool", `${problemPool ?? "all"} problems asked for, but ${task.name} has ${pool.length}`, {
      problems: pool.length,
    });
  if (curriculum) return chosenProblems(curriculum, pool, problemsPerStep);
  const problemAt = inEpochs(pool, random);
  return (step) => Array.from({ length: problemsPerStep }, (_, i) => problemAt(step * problemsPerStep + i));
}

/** @throws LaconicError `input_invalid` unless the curriculum returns `count` problems of the pool */
function chosenProblems(curriculum: Curriculum, pool: readonly Problem[], count: number): ProblemSource {
  const ids = new Set(pool.map(({ id }) => id));
  return (step, stream, learned) => {
    const of = { name: `the curriculum ${curriculum.name}`.trimEnd(), value: "curriculum" };
    const { results = {} } = learned;
    const request = { step, count, pool, results, learned, random: stream.split("curriculum") };
    const chosen = checkedCall(
      of,
      () => curriculum(request),
      (input) => {
        if (!Array.isArray(input)) return `gave ${shownValue(input)}, expected a list of problems`;
        if (input.length !== count) return `gave ${input.length} problems, ${count} were asked for`;
        const stranger = input.findIndex((item: Partial<Problem> | null) => !ids.has(String(item?.id)));
        return stranger < 0 ? null : `gave ${shownValue(input[stranger])} at ${stranger}, which is not in the pool`;
      },
    );
    return [...chosen];
  };
}

/** Max draws without a new problem. */
const patience = 8;

function distinct(task: Pick<TrainingTask, "name" | "problems">, count: number, random: Random): Problem[] {
  const match = new Map<string, Problem>();
  for (let idle = 0; match.size < count && idle < patience; idle++) {
    for (const problem of drawnProblems(task, random, count)) {
      if (match.has(problem.id) || match.size === count) continue;
      match.set(problem.id, problem);
      idle = -1;
    }
  }
  return [...match.values()];
}

/** @throws LaconicError `input_invalid` for an invalid problem */
function drawnProblems(task: Pick<TrainingTask, "name" | "problems">, random: Random, count: number): Problem[] {
  const of = { name: `the task ${task.name}: problems`, value: "task" };
  return checkedCall(
    of,
    () => task.problems(random, count),
    (input) => {
      if (!Array.isArray(input)) return `gave ${shownValue(input)}, expected a list of problems`;
      return input.length === 0 ? `gave none of the ${count} that were asked for` : lacksOfProblems(input);
    },
  );
}

export function lacksOfProblems(input: readonly unknown[]): string | null {
  for (const [i, item] of input.entries()) {
    const problem = (typeof item === "object" && item !== null ? item : {}) as UnknownRecord;
    for (const key of ["id", "question"])
      if (typeof problem[key] !== "string")
        return `gave ${shownValue(item)} at ${i}, whose ${key} is ${shownValue(problem[key])}, not a text`;
  }
  return null;
}
