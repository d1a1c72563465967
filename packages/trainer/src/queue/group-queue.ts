import { LaconicError } from "@laconic/core";
import type { Timer } from "@laconic/rewards";
import type { AsynchronousSettings } from "../config.ts";
import { attempts } from "../stages/attempts.ts";
import { joined, type GroupRollout, type SampledGroup } from "../stages/group-rollout.ts";
import {
  groupScheduler,
  type ScheduleCounts,
  type ScheduleSettings,
  type ScheduleState,
  type StartedGroup,
} from "./group-scheduler.ts";
import { paced, rateLimiter } from "./paced.ts";
import { shareInUse } from "./share-in-use.ts";

/** What groups are played with. */
export interface QueueParts {
  readonly timer: Timer;
  /** Weights as they are now; asked for once per version, and let go once nobody plays with them. */
  weights(): Promise<QueueWeights>;
}

/** Frozen weights of all policies, as the games that are played with them. */
export interface QueueWeights {
  game(group: number): GroupRollout;
  dispose(): Promise<void>;
}

/** A schedule, and what becomes of parts that fail or are slow. */
export type QueueSettings = ScheduleSettings & Pick<AsynchronousSettings, "retries" | "cutStragglers">;

/** A step's groups. */
export interface TakenGroups extends SampledGroup {
  /** Steps that the weights of each group were behind, by its position. */
  readonly lags: readonly number[];
}

/** A group that trains nothing, and why. */
export interface DroppedGroup extends StartedGroup {
  readonly reason: "stale" | "failed";
  /** Steps that its weights were behind then. */
  readonly lag: number;
  /** Of the error. */
  readonly detail?: string;
}

/** What became of groups since the last report, and where the queue stands. */
export interface QueueReport extends ScheduleCounts {
  readonly dropped: readonly DroppedGroup[];
  /** Parts that failed and were played again; parts that were cut off. */
  readonly retried: number;
  readonly cut: number;
  /** Mean share of the capacity that was in use. */
  readonly utilisation: number;
  /** Everything before the next new group is trained, reported as dropped, or named in it. */
  readonly state: ScheduleState;
}

/** Groups that are played while others are trained. */
export interface GroupQueue {
  /** The step's groups; the weights of now are those of `version` optimised steps, and stay until the next call. */
  take(version: number): Promise<TakenGroups>;
  report(): QueueReport;
  /** Ends what is played, waits for its end and lets go of all weights. */
  close(): Promise<void>;
}

/** Parts that start, or are aborted, between two turns of the event loop: some milliseconds of work. */
const startsPerTurn = 16;

/** Why calls are aborted; a reason that is there already costs nothing. */
const groupIsOver = new LaconicError("aborted", "the group is over");

interface Held {
  readonly version: number;
  readonly weights: QueueWeights;
  users: number;
}

/** Plays groups as the scheduler says, each under the newest weights at its start. */
export function groupQueue(settings: QueueSettings, { timer, weights }: QueueParts, from?: ScheduleState): GroupQueue {
  const { groupsPerStep, partsPerGroup, retries, cutStragglers } = settings;
  const scheduler = groupScheduler(settings, from);
  const pace = paced(timer, startsPerTurn);
  const abortTurn = rateLimiter(timer, Math.ceil(startsPerTurn / partsPerGroup));
  const use = shareInUse(() => timer.now());
  const complete = new Map<number, SampledGroup>();
  const playing = new Map<number, () => void>();
  const background = new Set<Promise<void>>();
  let current: Held | null = null;
  let failure: { readonly error: unknown } | null = null;
  let isPumping: boolean = false;
  let isClosed: boolean = false;
  let dropped: DroppedGroup[] = [];
  let retried: number = 0;
  let cut: number = 0;
  let failedInRow: number = 0;
  let wake = (): void => undefined;

  const end = (error: unknown): void => {
    failure ??= { error };
    wake();
  };
  const inBackground = (work: Promise<void>): void => {
    const own = work.catch(end).finally(() => background.delete(own));
    background.add(own);
  };
  const release = async (held: Held): Promise<void> => {
    if (held.users === 0 && held !== current) await held.weights.dispose();
  };
  const changed = (): void => {
    const { open, capacity } = scheduler.counts();
    use.now(open / capacity);
    wake();
    if (!isPumping) inBackground(pump());
  };

  const pump = async (): Promise<void> => {
    isPumping = true;
    try {
      for (let started = next(); started; started = next()) {
        const { open, capacity } = scheduler.counts();
        use.now(open / capacity);
        await begin(started, current as Held);
      }
    } finally {
      isPumping = false;
    }
  };
  const next = (): StartedGroup | null => (isClosed || failure || !current ? null : scheduler.start());

  const abort = async (controllers: readonly AbortController[]): Promise<void> => {
    await abortTurn();
    for (const controller of controllers) controller.abort(groupIsOver);
  };

  /** Resolves once all parts are started. */
  const begin = async (started: StartedGroup, held: Held): Promise<void> => {
    const { group } = started;
    const controllers: AbortController[] = [];
    const over = new Map<number, SampledGroup>();
    let isOver = false;
    let callOff = (): void => undefined;
    const stop = (): void => {
      isOver = true;
      callOff();
      playing.delete(group);
      if (over.size < partsPerGroup) inBackground(abort(controllers));
    };
    const finish = (): void => {
      cut += partsPerGroup - over.size;
      stop();
      complete.set(group, joined([...over].toSorted(([a], [b]) => a - b).map(([, sampled]) => sampled)));
      scheduler.complete(group);
      failedInRow = 0;
    };
    const fail = (error: unknown): void => {
      stop();
      scheduler.leave(group);
      const lag = (current?.version ?? started.version) - started.version;
      const detail = error instanceof Error ? error.message : String(error);
      dropped.push({ ...started, reason: "failed", lag, detail });
      failedInRow += 1;
      if (failedInRow >= groupsPerStep) end(error);
    };
    const partOver = (part: number, sampled: SampledGroup): void => {
      over.set(part, sampled);
      scheduler.partOver(group);
      if (over.size === partsPerGroup) finish();
      else if (cutStragglers && over.size === Math.ceil(cutStragglers.afterShare * partsPerGroup))
        callOff = timer.after(cutStragglers.seconds * 1000, () => {
          finish();
          changed();
        });
    };
    const playPart = async (game: GroupRollout, part: number): Promise<void> => {
      const controller = new AbortController(); // of its own: each of its calls listens
      controllers.push(controller);
      const play = (attempt: number): Promise<SampledGroup> => game.play(part, attempt, controller.signal);
      try {
        const sampled = await attempts(retries, play, { stops: () => isOver, failed: () => void (retried += 1) });
        if (!isOver) partOver(part, sampled);
      } catch (error) {
        if (!isOver) fail(error);
      }
      changed();
    };
    playing.set(group, stop);
    held.users += 1;
    const running: Promise<void>[] = [];
    try {
      const game = held.weights.game(group);
      for (let part = 0; part < partsPerGroup && !isOver; part++) {
        await pace();
        if (!isOver) running.push(playPart(game, part));
      }
    } finally {
      inBackground(
        Promise.all(running).then(() => {
          held.users -= 1;
          return release(held);
        }),
      );
    }
  };

  const renew = async (version: number): Promise<void> => {
    if (current?.version === version) return;
    const [before, newest] = [current, { version, weights: await weights(), users: 0 }];
    current = newest;
    for (const each of scheduler.advance(version)) {
      playing.get(each.group)?.();
      complete.delete(each.group);
      dropped.push({ ...each, reason: "stale", lag: version - each.version });
    }
    if (before) await release(before);
  };

  return {
    async take(version) {
      if (isClosed) throw new LaconicError("input_invalid", "the queue is closed", { version });
      await renew(version);
      changed();
      for (;;) {
        if (failure) throw failure.error;
        const taken = scheduler.take();
        if (!taken) {
          await new Promise<void>((go) => (wake = go));
          continue;
        }
        const sampled = taken.map(({ group }, position): SampledGroup => {
          const { rollouts, ...rest } = complete.get(group) as SampledGroup;
          complete.delete(group);
          return { ...rest, rollouts: rollouts.map((each) => ({ ...each, group: position })) };
        });
        changed();
        return { ...joined(sampled), lags: taken.map((each) => version - each.version) };
      }
    },
    report() {
      const report = {
        dropped,
        retried,
        cut,
        utilisation: use.mean(),
        ...scheduler.counts(),
        state: scheduler.state(),
      };
      [dropped, retried, cut] = [[], 0, 0];
      return report;
    },
    async close() {
      isClosed = true;
      for (const stop of playing.values()) stop();
      while (background.size > 0) await Promise.allSettled(background);
      const last = current;
      current = null;
      if (last) await release(last);
    },
  };
}
