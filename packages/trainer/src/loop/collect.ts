import { modelsOf, type Samplers } from "../spec/parts.ts";
import { needsGreedy } from "../spec/learning.ts";
import { learnedOf, type LoopState } from "../run/loop-state.ts";
import { TrainingQueue } from "../queue/training-queue.ts";
import type { TakenGroups } from "../stages/group-rollout.ts";
import { rollout, nextBatch } from "../stages/play-groups.ts";
import { learnedParts, samplingAt, snapshotsOf, type TrainingRun } from "./training-run.ts";

export interface Collector {
  /** Returns null at the end of the source. */
  collect(state: LoopState, samplers: Samplers): Promise<TakenGroups | null>;
  /** Groups since the last report; null in a synchronous run. */
  report(): ReturnType<TrainingQueue["report"]> | null;
  close(): Promise<void>;
}

/** Returns the step's episodes: external, from the asynchronous queue, or sampled now. */
export function collector(run: TrainingRun, beginning: LoopState): Collector {
  const { parts, config, learners, random, pool, signal, timer } = run;
  const { source } = parts;
  if (source) return { ...alone, collect: ({ step }, samplers) => nextBatch(parts, source, step, samplers, signal) };

  const greedy = needsGreedy(learners);
  if (config.asynchronous) {
    let state = beginning;
    const queue = new TrainingQueue(config, config.asynchronous, {
      greedy,
      sampling: samplingAt(run, 0),
      random,
      timer,
      problemsOf: (step, stream) => run.problemsOf(step, stream, learnedOf(state)),
      learned: () => learnedParts(run, state),
      snapshots: () => snapshotsOf(learners),
      from: beginning.queue,
    });
    return {
      collect(now) {
        state = now;
        return queue.take(now.step);
      },
      report: () => queue.report(),
      close: () => queue.close(),
    };
  }
  return {
    ...alone,
    async collect(state, samplers) {
      const { step, opponents = [] } = state;
      const { parts: told, score } = learnedParts(run, state);
      const stream = random.split(`step:${step}`);
      const problems = run.problemsOf(step, stream, learnedOf(state));
      const games = { step, problems: problems.length, episodes: config.episodesPerProblem, random: stream };
      const opponentOf = pool?.opponents(opponents, games) ?? null;
      const played = { models: modelsOf(told, samplers), random: stream.split("rollout"), opponentOf };
      return {
        ...(await rollout(told, config, { score, greedy, sampling: samplingAt(run, step) }, problems, played)),
        lags: [],
      };
    },
  };
}

const alone: Omit<Collector, "collect"> = {
  report: () => null,
  close: async () => undefined,
};
