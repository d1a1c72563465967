import type { LanguageModel, PolicySnapshot, Problem, Random } from "@laconic/core";
import type { Timer } from "@laconic/rewards";
import type { AsynchronousSettings, TrainConfig } from "../settings/config.ts";
import { modelsOf, type TrainingParts } from "../spec/parts.ts";
import type { GameOptions } from "../stages/episode-rollout.ts";
import { groupGame } from "../stages/play-groups.ts";
import { groupQueue, type DroppedGroup, type GroupQueue, type QueueReport } from "./group-queue.ts";
import type { ScheduleState } from "./group-scheduler.ts";
import { rateLimiter } from "./paced.ts";

/** What a run's queue is made of, beside its parts. */
export interface TrainingQueueParts {
  readonly greedy: GameOptions["greedy"];
  readonly sampling: GameOptions["sampling"];
  /** The run's stream. */
  readonly random: Random;
  readonly timer: Timer;
  readonly problemsOf: (step: number, stream: Random) => readonly Problem[];
  /** What plays and scores, with all that is learned by now. */
  readonly learned: () => { readonly parts: TrainingParts; readonly score: GameOptions["score"] };
  /** Of all policies, as they are now. */
  readonly snapshots: () => Promise<Readonly<Record<string, PolicySnapshot>>>;
  readonly from: ScheduleState | undefined;
}

/** A dropped group with its problem. */
export interface DroppedProblem extends DroppedGroup {
  readonly problemId: string;
}

/** A queue whose dropped groups are known by their problems. */
export interface TrainingQueue extends Omit<GroupQueue, "report"> {
  report(): Omit<QueueReport, "dropped"> & { readonly dropped: readonly DroppedProblem[] };
}

/**
 * Group n has the problem, and the random streams, that the n-th has where steps are sampled one after the other: which problems
 * a run sees does not depend on what is complete first.
 */
export function trainingQueue(
  config: TrainConfig,
  settings: AsynchronousSettings,
  { greedy, sampling, random, timer, problemsOf, learned, snapshots, from }: TrainingQueueParts,
): TrainingQueue {
  const { problemsPerStep, episodesPerProblem, steps, tree } = config;
  const drawn = new Map<number, readonly Problem[]>();
  const place = (group: number): { readonly position: number; readonly problem: Problem; readonly stream: Random } => {
    const [step, position] = [Math.floor(group / problemsPerStep), group % problemsPerStep];
    const stream = random.split(`step:${step}`);
    const problems = drawn.get(step) ?? problemsOf(step, stream);
    drawn.set(step, problems);
    if (drawn.size > keptSteps) drawn.delete(Math.min(...drawn.keys()));
    return { position, problem: problems[position] as Problem, stream: stream.split("rollout") };
  };
  const turn = rateLimiter(timer, repliesPerTurn);
  const queue = groupQueue(
    { ...settings, groupsPerStep: problemsPerStep, partsPerGroup: tree ? 1 : episodesPerProblem, steps },
    {
      timer,
      async weights() {
        const { parts, score } = learned();
        const samplers = await snapshots();
        const models = Object.fromEntries(
          Object.entries(modelsOf(parts, samplers)).map(([agent, model]) => [agent, answeringInTurn(model, turn)]),
        );
        return {
          game(number) {
            const { position: group, problem, stream } = place(number);
            return groupGame(parts, config, { score, greedy, sampling }, { problem, group, random: stream, models });
          },
          async dispose() {
            for (const snapshot of Object.values(samplers)) await snapshot.dispose();
          },
        };
      },
    },
    from,
  );
  return {
    take: (version) => queue.take(version),
    close: () => queue.close(),
    report() {
      const { dropped, ...report } = queue.report();
      return { ...report, dropped: dropped.map((each) => ({ ...each, problemId: place(each.group).problem.id })) };
    },
  };
}

/** Replies that are gone on with between two turns of the event loop: some milliseconds of work. */
const repliesPerTurn = 32;

/** Goes on with a reply, or with what went wrong, once it is its turn. */
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

/** Steps whose problems are at hand: those of the groups that are played, and what is drawn again comes out the same. */
const keptSteps = 16;
