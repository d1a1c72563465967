import { inputError, LaconicError, thrownText } from "@laconic/core";
import type { Timer } from "@laconic/rewards";
import type { AsynchronousSettings } from "../settings/config.ts";
import { attempts, joined, type GroupRollout, type SampledGroup, type TakenGroups } from "../stages/group-rollout.ts";
import { GroupScheduler } from "./group-scheduler.ts";
import type { ScheduleCounts, ScheduleSettings, ScheduleState, StartedGroup } from "./group-scheduler.ts";
import { paced, rateLimiter, ShareInUse } from "./paced.ts";

export interface QueueParts {
  readonly timer: Timer;
  /** Current weights; requested once per version, disposed after the last game. */
  weights(): Promise<QueueWeights>;
}

export interface QueueWeights {
  game(group: number): GroupRollout;
  dispose(): Promise<void>;
}

export type QueueSettings = ScheduleSettings & Pick<AsynchronousSettings, "retries">;

export interface DroppedGroup extends StartedGroup {
  readonly reason: "stale" | "failed";
  /** Age of its weights in steps. */
  readonly lag: number;
  readonly detail?: string;
}

export interface QueueReport extends ScheduleCounts {
  readonly dropped: readonly DroppedGroup[];
  readonly retried: number;
  readonly utilisation: number;
  /** Earlier groups are trained, dropped, or listed here. */
  readonly state: ScheduleState;
}

/** Starts or aborts per turn of the event loop: a few milliseconds. */
const startsPerTurn = 16;

/** Abort reason; shared, because creating an error is slow. */
const groupIsOver = new LaconicError("aborted", "the group is over");

interface Held {
  readonly version: number;
  readonly weights: QueueWeights;
  users: number;
}

interface Playing {
  readonly started: StartedGroup;
  readonly controllers: AbortController[];
  readonly over: Map<number, SampledGroup>;
  isOver: boolean;
}

export class GroupQueue {
  readonly #settings: QueueSettings;
  readonly #parts: QueueParts;
  readonly #scheduler: GroupScheduler;
  readonly #pace: () => Promise<void>;
  readonly #abortTurn: () => Promise<void>;
  readonly #use: ShareInUse;
  readonly #complete = new Map<number, SampledGroup>();
  readonly #playing = new Map<number, Playing>();
  readonly #background = new Set<Promise<void>>();
  #current: Held | null = null;
  #failure: { readonly error: unknown } | null = null;
  #isPumping = false;
  #isClosed = false;
  #dropped: DroppedGroup[] = [];
  #retried = 0;
  #failedInRow = 0;
  #wake = (): void => undefined;

  constructor(settings: QueueSettings, parts: QueueParts, from?: ScheduleState) {
    const { timer } = parts;
    this.#settings = settings;
    this.#parts = parts;
    this.#scheduler = new GroupScheduler(settings, from);
    this.#pace = paced(timer, startsPerTurn);
    this.#abortTurn = rateLimiter(timer, Math.ceil(startsPerTurn / settings.partsPerGroup));
    this.#use = new ShareInUse(() => timer.now());
  }

  /** Returns the step's groups. @param version - optimizer steps of the current weights */
  async take(version: number): Promise<TakenGroups> {
    if (this.#isClosed) throw inputError("the queue is closed", { version });
    await this.#renew(version);
    this.#changed();
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      const taken = this.#scheduler.take();
      if (!taken) {
        await new Promise<void>((go) => (this.#wake = go));
        continue;
      }
      const sampled = taken.map(({ group }, position): SampledGroup => {
        const { rollouts, ...rest } = this.#complete.get(group)!;
        this.#complete.delete(group);
        return { ...rest, rollouts: rollouts.map((rollout) => ({ ...rollout, group: position })) };
      });
      this.#changed();
      return { ...joined(sampled), lags: taken.map((group) => version - group.version) };
    }
  }

  report(): QueueReport {
    const report = {
      dropped: this.#dropped,
      retried: this.#retried,
      utilisation: this.#use.mean(),
      ...this.#scheduler.counts(),
      state: this.#scheduler.state(),
    };
    this.#dropped = [];
    this.#retried = 0;
    return report;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const playing of this.#playing.values()) this.#stop(playing);
    while (this.#background.size > 0) await Promise.allSettled(this.#background);
    const last = this.#current;
    this.#current = null;
    if (last) await this.#release(last);
  }

  #end(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  #inBackground(work: Promise<void>): void {
    const task = work.catch((error: unknown) => this.#end(error)).finally(() => this.#background.delete(task));
    this.#background.add(task);
  }

  async #release(held: Held): Promise<void> {
    if (held.users === 0 && held !== this.#current) await held.weights.dispose();
  }

  #changed(): void {
    this.#noteUse();
    this.#wake();
    if (!this.#isPumping) this.#inBackground(this.#pump());
  }

  #noteUse(): void {
    const { open, capacity } = this.#scheduler.counts();
    this.#use.set(open / capacity);
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    try {
      for (let started = this.#next(); started; started = this.#next()) {
        this.#noteUse();
        await this.#begin(started, this.#current!);
      }
    } finally {
      this.#isPumping = false;
    }
  }

  #next(): StartedGroup | null {
    return this.#isClosed || this.#failure || !this.#current ? null : this.#scheduler.start();
  }

  async #begin(started: StartedGroup, held: Held): Promise<void> {
    const playing: Playing = { started, controllers: [], over: new Map(), isOver: false };
    this.#playing.set(started.group, playing);
    held.users += 1;
    const running: Promise<void>[] = [];
    try {
      const game = held.weights.game(started.group);
      for (let part = 0; part < this.#settings.partsPerGroup && !playing.isOver; part++) {
        await this.#pace();
        if (!playing.isOver) running.push(this.#playPart(playing, game, part));
      }
    } finally {
      this.#inBackground(
        Promise.all(running).then(() => {
          held.users -= 1;
          return this.#release(held);
        }),
      );
    }
  }

  async #playPart(playing: Playing, game: GroupRollout, part: number): Promise<void> {
    const controller = new AbortController(); // each call adds a listener
    playing.controllers.push(controller);
    const play = (attempt: number): Promise<SampledGroup> => game.play(part, attempt, controller.signal);
    try {
      const sampled = await attempts(this.#settings.retries, play, {
        stops: () => playing.isOver,
        failed: () => void (this.#retried += 1),
      });
      if (!playing.isOver) this.#partOver(playing, part, sampled);
    } catch (error) {
      if (!playing.isOver) this.#fail(playing, error);
    }
    this.#changed();
  }

  #partOver(playing: Playing, part: number, played: SampledGroup): void {
    const { over, started } = playing;
    over.set(part, played);
    this.#scheduler.partOver(started.group);
    if (over.size < this.#settings.partsPerGroup) return;
    this.#stop(playing);
    const sampled = [...over].toSorted(([a], [b]) => a - b).map(([, sampledGroup]) => sampledGroup);
    this.#complete.set(started.group, joined(sampled));
    this.#scheduler.complete(started.group);
    this.#failedInRow = 0;
  }

  #fail(playing: Playing, error: unknown): void {
    const { started } = playing;
    this.#stop(playing);
    this.#scheduler.leave(started.group);
    const lag = (this.#current?.version ?? started.version) - started.version;
    const detail = thrownText(error);
    this.#dropped.push({ ...started, reason: "failed", lag, detail });
    this.#failedInRow += 1;
    if (this.#failedInRow >= this.#settings.groupsPerStep) this.#end(error);
  }

  #stop(playing: Playing): void {
    playing.isOver = true;
    this.#playing.delete(playing.started.group);
    if (playing.over.size < this.#settings.partsPerGroup) this.#inBackground(this.#abort(playing.controllers));
  }

  async #abort(controllers: readonly AbortController[]): Promise<void> {
    await this.#abortTurn();
    for (const controller of controllers) controller.abort(groupIsOver);
  }

  async #renew(version: number): Promise<void> {
    const before = this.#current;
    if (before?.version === version) return;
    this.#current = { version, weights: await this.#parts.weights(), users: 0 };
    for (const group of this.#scheduler.advance(version)) {
      const playing = this.#playing.get(group.group);
      if (playing) this.#stop(playing);
      this.#complete.delete(group.group);
      this.#dropped.push({ ...group, reason: "stale", lag: version - group.version });
    }
    if (before) await this.#release(before);
  }
}
