/** How much is sampled at once, and how old it may become. */
export interface ScheduleSettings {
  /** P: groups that a step trains on. */
  readonly groupsPerStep: number;
  /** Parts that a group is played in, each on its own: its episodes, or 1 for a tree. */
  readonly partsPerGroup: number;
  /** W: so many groups' worth of parts are played at once; null for `groupsPerStep` + 1. */
  readonly activeGroups: number | null;
  /** Most steps between the weights that a group was started under and those that it trains. */
  readonly maxLag: number;
  /** Groups that would become older are waited for, or dropped. */
  readonly stale: "wait" | "drop";
  /** Steps of the run: no group is started that none of them would train. */
  readonly steps: number;
}

/** A group by its number, and the weights that it was started under, by their optimised steps. */
export interface StartedGroup {
  readonly group: number;
  readonly version: number;
}

/** Where a schedule stands, for a checkpoint: the next new group, and those that are not trained and come first. */
export interface ScheduleState {
  readonly next: number;
  readonly again: readonly number[];
}

/** Groups and parts of now. */
export interface ScheduleCounts {
  /** Groups that are played, and groups that are complete and wait for their step. */
  readonly active: number;
  readonly complete: number;
  /** Parts that are played, and most that ever are at once. */
  readonly open: number;
  readonly capacity: number;
}

/**
 * Decides which groups start and which are trained; knows no time, and plays nothing. Groups have numbers 0, 1, 2 ... in the
 * order of their problems. What happens in the same order comes out the same.
 */
export interface GroupScheduler {
  /** Weights of now. Groups that are too old for them and are not waited for leave, and are returned. */
  advance(version: number): StartedGroup[];
  /** A group that may start, which counts as started; null while none may. */
  start(): StartedGroup | null;
  /** A part of a group is over: another may take its place. */
  partOver(group: number): void;
  /** A group can be trained; parts of it that are not over are over now. */
  complete(group: number): void;
  /** A group comes to nothing: another may take its place. */
  leave(group: number): void;
  /** P complete groups, those of the oldest weights first; null while there are fewer, or an older one is waited for. */
  take(): StartedGroup[] | null;
  counts(): ScheduleCounts;
  state(): ScheduleState;
}

/**
 * Steps' worth of complete groups beyond which none is started. Without a bound, an optimiser that is slower than its samplers trains
 * on the oldest groups that maxLag allows; with this one it is as fast, at half the lag.
 */
const maxWaiting = 2;

interface Played extends StartedGroup {
  open: number;
}

/**
 * The first P complete groups train, while others go on. A group starts as soon as so many parts are over, of whatever groups,
 * so stragglers keep no place free; never more groups are untrained than the steps within `maxLag` can take, and none starts while
 * two steps' worth are complete.
 *
 * Where groups are waited for, no step leaves more groups of some weights behind than the steps that may still take them:
 * by induction none becomes older than `maxLag`, and a step waits only for groups that it must take.
 *
 * @param state - of a run that goes on: its untrained groups are started anew, before new ones
 */
export function groupScheduler(settings: ScheduleSettings, state?: ScheduleState): GroupScheduler {
  return new Schedule(settings, state);
}

class Schedule implements GroupScheduler {
  readonly #settings: ScheduleSettings;
  readonly #capacity: number;
  readonly #active = new Map<number, Played>();
  #complete: StartedGroup[] = [];
  #version = 0;
  #open = 0;
  #next: number;
  #again: number[];
  /** Under the weights of now. */
  #hasTaken = false;

  constructor(settings: ScheduleSettings, state: ScheduleState = { next: 0, again: [] }) {
    const { groupsPerStep, partsPerGroup, activeGroups, maxLag } = settings;
    this.#settings = settings;
    this.#capacity = Math.min(activeGroups ?? groupsPerStep + 1, (maxLag + 1) * groupsPerStep) * partsPerGroup;
    this.#next = state.next;
    this.#again = [...state.again];
  }

  advance(now: number): StartedGroup[] {
    const { maxLag, stale } = this.#settings;
    if (now !== this.#version) this.#hasTaken = false;
    this.#version = now;
    if (stale === "wait") return [];
    const old = [...this.#active.values(), ...this.#complete].filter((each) => each.version < now - maxLag);
    for (const { group } of old) this.#leaveActive(group);
    this.#complete = this.#complete.filter((each) => each.version >= now - maxLag);
    return old.map(({ group, version }) => ({ group, version })).toSorted((a, b) => a.group - b.group);
  }

  start(): StartedGroup | null {
    const { groupsPerStep, partsPerGroup, maxLag, steps } = this.#settings;
    if (this.#open + partsPerGroup > this.#capacity || this.#complete.length >= maxWaiting * groupsPerStep) return null;
    // A step that has its groups takes no other, and what starts meanwhile has its weights of before.
    const ahead = this.#hasTaken ? 1 : 0;
    const untrained = this.#active.size + this.#complete.length;
    if (untrained >= Math.min(maxLag + 1 - ahead, steps - this.#version - ahead) * groupsPerStep) return null;
    const group = this.#again.shift() ?? this.#next++;
    this.#active.set(group, { group, version: this.#version, open: partsPerGroup });
    this.#open += partsPerGroup;
    return { group, version: this.#version };
  }

  partOver(group: number): void {
    const played = this.#active.get(group);
    if (!played || played.open === 0) return;
    played.open -= 1;
    this.#open -= 1;
  }

  complete(group: number): void {
    const played = this.#active.get(group);
    if (!played) return;
    this.#leaveActive(group);
    this.#complete.push({ group, version: played.version });
  }

  leave(group: number): void {
    this.#leaveActive(group);
    this.#complete = this.#complete.filter((each) => each.group !== group);
  }

  take(): StartedGroup[] | null {
    const { groupsPerStep, stale } = this.#settings;
    if (this.#complete.length < groupsPerStep) return null;
    const inOrder = this.#complete.toSorted((a, b) => a.version - b.version); // stable: then as they became complete
    const left = inOrder.slice(groupsPerStep);
    if (stale === "wait" && !this.#isInTime(left)) return null;
    const taken = inOrder.slice(0, groupsPerStep);
    this.#hasTaken = true;
    const isTaken = new Set(taken.map(({ group }) => group));
    this.#complete = this.#complete.filter(({ group }) => !isTaken.has(group));
    return taken;
  }

  counts(): ScheduleCounts {
    return {
      active: this.#active.size,
      complete: this.#complete.length,
      open: this.#open,
      capacity: this.#capacity,
    };
  }

  state(): ScheduleState {
    const untrained = [...this.#again, ...this.#active.keys(), ...this.#complete.map(({ group }) => group)];
    return { next: this.#next, again: untrained.toSorted((a, b) => a - b) };
  }

  #leaveActive(group: number): void {
    this.#open -= this.#active.get(group)?.open ?? 0;
    this.#active.delete(group);
  }

  /** Whether later steps can still take every group in time that is left behind. */
  #isInTime(left: readonly StartedGroup[]): boolean {
    const { groupsPerStep, maxLag } = this.#settings;
    const byAge = new Map<number, number>();
    for (const each of [...left, ...this.#active.values()]) byAge.set(each.version, (byAge.get(each.version) ?? 0) + 1);
    let sum = 0;
    return [...byAge]
      .toSorted(([a], [b]) => a - b)
      .every(([each, count]) => (sum += count) <= (each + maxLag - this.#version) * groupsPerStep);
  }
}
