import type { Episode, Problem, Random, Sampler } from "@laconic/core";
import type { TrainConfig } from "../config.ts";
import { modelsOf, type TrainingParts } from "../parts.ts";

/** An episode and the problem it is about. */
export interface Rollout {
  readonly problem: Problem;
  readonly episode: Episode;
}

/** G episodes of each problem under the sampler's weights, all at once; a local policy serves them as few large batches. */
export function rollout(
  parts: TrainingParts,
  config: TrainConfig,
  sampler: Sampler,
  problems: readonly Problem[],
  random: Random,
): Promise<Rollout[]> {
  const models = modelsOf(parts, sampler);
  return Promise.all(
    problems.flatMap((problem, p) =>
      Array.from({ length: config.episodesPerProblem }, async (_, g): Promise<Rollout> => {
        const context = { models, sampling: config.sampling, random: random.split(`problem:${p}/episode:${g}`) };
        return { problem, episode: await parts.task.topology.run(problem, context) };
      }),
    ),
  );
}
