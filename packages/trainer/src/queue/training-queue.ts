import { mapValues, type LanguageModel, type PolicySnapshot, type Problem, type Random } from "@laconic/core";
import type { Timer } from "@laconic/rewards";
import type { AsynchronousSettings, TrainConfig } from "../settings/config.ts";
import { modelsOf, type TrainingParts } from "../spec/parts.ts";
import type { GameOptions } from "../stages/episode-rollout.ts";
import { groupGame } from "../stages/play-groups.ts";
import type { TakenGroups, GroupPlace } from "../stages/group-rollout.ts";
import { GroupQueue, type DroppedGroup, type QueueReport, type QueueWeights } from "./group-queue.ts";
import type { ScheduleState } from "./group-scheduler.ts";
import { rateLimiter } from "./paced.ts";

export interface TrainingQueueParts {
  readonly greedy: GameOptions["greedy"];
  readonly sampling: GameOptions["sampling"];
  readonly random: Random;
  readonly timer: Timer;
  readonly problemsOf: (step: number, stream: Random) => readonly Problem[];
  readonly learned: () => { readonly parts: TrainingParts; readonly score: GameOptions["score"] };
  readonly snapshots: () => Promise<Readonly<Record<string, PolicySnapshot>>>;
  readonly from: ScheduleState | undefined;
}

export interface DroppedProblem extends DroppedGroup {
  readonly problemId: string;
}

/**
 * Groups of an asynchronous run. Group n has the problem and random streams of the n-th synchronous group, whatever
 * completes first.
 */
export class TrainingQueue {
  readonly #queue: GroupQueue;
  readonly #config: TrainConfig;
  readonly #parts: TrainingQueueParts;
  readonly #drawn = new Map<number, readonly Problem[]>();

  constructor(config: TrainConfig, settings: AsynchronousSettings, parts: TrainingQueueParts) {
    const { problemsPerStep: groupsPerStep, episodesPerProblem, steps, tree } = config;
    const { timer, from, greedy, sampling, learned, snapshots } = parts;
    [this.#config, this.#parts] = [config, parts];
    const turn = rateLimiter(timer, repliesPerTurn);
    const weights = async (): Promise<QueueWeights> => {
      const { parts: played, score } = learned();
      const samplers = await snapshots();
      const models = mapValues(modelsOf(played, samplers), (model) => answeringInTurn(model, turn));
      return {
        game: (number) => groupGame(played, config, { score, greedy, sampling }, { ...this.#placeOf(number), models }),
        async dispose() {
          for (const snapshot of Object.values(samplers)) await snapshot.dispose();
        },
      };
    };
    const partsPerGroup = tree ? 1 : episodesPerProblem;
    this.#queue = new GroupQueue({ ...settings, groupsPerStep, partsPerGroup, steps }, { timer, weights }, from);
  }

  #placeOf(number: number): Omit<GroupPlace, "models"> {
    const { problemsPerStep } = this.#config;
    const { random, problemsOf } = this.#parts;
    const [step, group] = [Math.floor(number / problemsPerStep), number % problemsPerStep];
    const stream = random.split(`step:${step}`);
    const problems = this.#drawn.get(step) ?? problemsOf(step, stream);
    this.#drawn.set(step, problems);
    if (this.#drawn.size > keptSteps) this.#drawn.delete(Math.min(...this.#drawn.keys()));
    return { group, problem: problems[group]!, random: stream.split("rollout") };
  }

  take(version: number): Promise<TakenGroups> {
    return this.#queue.take(version);
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  report(): Omit<QueueReport, "dropped"> & { readonly dropped: readonly DroppedProblem[] } {
    const { dropped, ...report } = this.#queue.report();
    return {
      ...report,
      dropped: dropped.map((group) => ({
        ...group,
        problemId: this.#placeOf(group.group).problem.id,
      })),
    };
  }
}

/** Replies per turn of the event loop: a few milliseconds. */
const repliesPerTurn = 32;

function answeringInTurn(model: LanguageModel, turn: () => Promise<void>): LanguageModel {
  return {
    id: model.id,
    async complete(request) {
      try {
        return await model.complete(request);
      } finally {
        await turn();
      }
    },
  };
}

/** Steps with cached problems; other problems are drawn again. */
const keptSteps = 16;
