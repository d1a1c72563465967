import type { Estimator, EstimatorFunction, Learned, Reward, StoredWeights } from "@laconic/core";
import type { TrainingParts } from "./spec/parts.ts";
import type { Models } from "./run/checkpoint.ts";

/** Passes learned state to the topology and the reward. */
export function withLearned<P extends Pick<TrainingParts, "task">>(parts: P, learned: Learned): P {
  const { task } = parts;
  const { topology, reward } = task;
  const told: TrainingParts["task"] = {
    ...task,
    topology: { ...topology, run: (problem, context) => topology.run(problem, { learned, ...context }) },
    ...(reward && {
      reward: (...[episode, problem, context]: Parameters<Reward>) => reward(episode, problem, { learned, ...context }),
    }),
  };
  return { ...parts, task: told };
}

/** Weights of learned estimators; policies may share one. */
export function criticsOf(
  learners: readonly { readonly name: string; readonly estimator?: Estimator | EstimatorFunction | undefined }[],
): Models {
  const critics = new Map<StoredWeights, string>();
  for (const { name, estimator } of learners)
    if (typeof estimator === "object" && estimator.weights && !critics.has(estimator.weights))
      critics.set(estimator.weights, `${name}.critic`); // policy names contain no dot
  return Object.fromEntries(Array.from(critics, ([weights, name]) => [name, weights]));
}
