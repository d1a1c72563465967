import {
  randomFromSeed,
  silenceRates,
  wilsonInterval,
  type Episode,
  type EpisodeContext,
  type Problem,
} from "@laconic/core";
import { measureEpisode } from "@laconic/rewards";
import type { TrainConfig } from "./config.ts";
import { withVerdicts } from "./verdicts.ts";
import { modelsOf, type Samplers, type TrainingParts } from "./parts.ts";

/** How a team does on held-out problems. */
export interface Evaluation {
  readonly step: number;
  readonly problems: number;
  readonly accuracy: number;
  /** Wilson interval of the accuracy, 95 %. */
  readonly interval: readonly [low: number, high: number];
  /** Mean tokens written per episode, end tokens included. */
  readonly tokens: number;
  /** Share of turns without a word, by agent. */
  readonly silence: Readonly<Record<string, number>>;
}

export interface EvaluatedEpisode {
  readonly problem: Problem;
  readonly episode: Episode;
  readonly task: number;
}

/**
 * Samples one episode of each held-out problem. The random streams depend on the seed and the problem alone, so
 * evaluations of one run differ by the weights only. A grade of NaN leaves its problem out of the accuracy.
 *
 * @throws LaconicError `reward_invalid` naming the problem when the grader throws or leaves the range 0 to 1.
 */
export async function evaluate(
  parts: TrainingParts,
  samplers: Samplers,
  options: {
    readonly seed: string | number;
    readonly step: number;
    readonly problems: number;
    readonly sampling: TrainConfig["sampling"];
    readonly limits?: EpisodeContext["limits"];
    /** What an agent's error does; with `end` its problem is left out of the accuracy. Default `throw`. */
    readonly onError?: EpisodeContext["onError"];
  },
): Promise<{ readonly evaluation: Evaluation; readonly episodes: readonly EvaluatedEpisode[] }> {
  const models = modelsOf(parts, samplers);
  const { judge, grader, heldOut, topology } = withVerdicts(parts.task);
  const random = randomFromSeed(options.seed).split("evaluation");
  const episodes = await Promise.all(
    heldOut.slice(0, options.problems).map(async (problem, i): Promise<EvaluatedEpisode> => {
      const episode = await topology.run(problem, {
        models,
        sampling: options.sampling,
        random: random.split(i),
        ...(options.limits && { limits: options.limits }),
        ...(options.onError && { onError: options.onError }),
      });
      await judge?.(episode.answer, problem);
      return {
        problem,
        episode,
        task: measureEpisode(episode.stopReason === "error" ? () => Number.NaN : grader, {}, episode, problem).task,
      };
    }),
  );
  const grades = episodes.map(({ task }) => task).filter((task) => !Number.isNaN(task));
  const right = grades.reduce((sum, task) => sum + task, 0);
  const tokens = episodes
    .flatMap(({ episode }) => episode.ledger.calls)
    .reduce((sum, call) => sum + call.writtenTokens, 0);
  return {
    episodes,
    evaluation: {
      step: options.step,
      problems: episodes.length,
      accuracy: right / Math.max(1, grades.length),
      interval: wilsonInterval(right, grades.length),
      tokens: tokens / Math.max(1, episodes.length),
      silence: silenceRates(episodes.flatMap(({ episode }) => episode.utterances)),
    },
  };
}
