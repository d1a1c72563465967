import type { Timer } from "@laconic/rewards";
import { modelsOf, type Samplers } from "../spec/parts.ts";
import { learnedOf, type LoopState } from "../run/loop-state.ts";
import { nextTurn } from "../queue/paced.ts";
import { TrainingQueue } from "../queue/training-queue.ts";
import type { SampledGroup } from "../stages/group-rollout.ts";
import { rollout, nextBatch } from "../stages/play-groups.ts";
import { learnedParts, samplingAt, snapshotsOf, type TrainingRun } from "./training-run.ts";

/** A step's groups. */
export interface Collected extends SampledGroup {
  /** Steps that the weights behind each group are old; empty where they are the newest. */
  readonly lags: readonly number[];
}

/** Lines 3-5 of Algorithm 1: queries, and G episodes each. */
export interface Collector {
  /** Null where there will be no more. */
  collect(state: LoopState, samplers: Samplers): Promise<Collected | null>;
  /** What became of groups since the last report; null where none is played beside training. */
  report(): ReturnType<TrainingQueue["report"]> | null;
  /** Between pieces of work: lets others have their turn, where others wait. */
  turn(): Promise<void>;
  close(): Promise<void>;
}

/** Takes episodes that were played elsewhere, or the first that are complete of those that are played all the time, or plays them. */
export function collector(run: TrainingRun, beginning: LoopState, timer: Timer): Collector {
  const { parts, config, learners, random, pool, signal } = run;
  const { source } = parts;
  if (source) return { ...alone, collect: ({ step }, samplers) => nextBatch(parts, source, step, samplers, signal) };

  const greedy = learners.some(({ estimator }) => estimator.needs?.includes("greedy"));
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
      turn: () => nextTurn(timer),
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

/** Nobody waits for a run that does one thing after the other. */
const alone: Omit<Collector, "collect"> = {
  report: () => null,
  turn: async () => undefined,
  close: async () => undefined,
};
