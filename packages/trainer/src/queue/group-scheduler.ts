/** How much is sampled at once, and how old it may become. */
export interface ScheduleSettings {
  /** P: groups that a step trains on. */
  readonly groupsPerStep: number;
  /** Parts that a group is played in: its episodes, or 1 for a tree. */
  readonly partsPerGroup: number;
  /** W: groups' worth of parts that are played at once; null for `groupsPerStep` + 1. */
  readonly activeGroups: number | null;
  /** Most steps between the weights that a group was started under and those that it trains. */
  readonly maxLag: number;
  /** Whether groups that would become older are waited for, or dropped. */
  readonly stale: "wait" | "drop";
  /** Steps of the run: no group is started that none of them would train. */
  readonly steps: number;
}

/** A group by its number, and the weights that it was started under, by their optimised steps. */
export interface StartedGroup {
  readonly group: number;
  readonly version: number;
}

/** Position of a schedule, for a checkpoint: the next new group, and the untrained groups, which come first. */
export interface ScheduleState {
  readonly next: number;
  readonly again: readonly number[];
}

/** Groups and parts at the moment. */
export interface ScheduleCounts {
  /** Groups that are played. */
  readonly active: number;
  /** Complete groups that wait for their step. */
  readonly complete: number;
  /** Parts that are played, and most parts at once. */
  readonly open: number;
  readonly capacity: number;
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
 * Decides which groups start and which are trained. It knows no time and plays nothing, so equal events give equal decisions.
 * Groups have numbers 0, 1, 2 ... in the order of their problems.
 *
 * The first P complete groups train, while others go on. A group starts as soon as enough parts are over, of any groups,
 * so stragglers hold no place. There are never more untrained groups than the steps within `maxLag` can take, and none starts while
 * two steps' worth are complete.
 *
 * With `stale: "wait"`, no step leaves more groups of some weights behind than the steps that may still take them:
 * by induction none becomes older than `maxLag`, and a step waits only for groups that it must take.
 */
export class GroupScheduler {
  readonly #settings: ScheduleSettings;
  readonly #capacity: number;
  readonly #active = new Map<number, Played>();
  #complete: StartedGroup[] = [];
  #version = 0;
  #open = 0;
  #next: number;
  #again: number[];
  /** Whether a step was taken under the present weights. */
  #hasTaken = false;

  /** @param state - of a resumed run: its untrained groups are started again, before new ones */
  constructor(settings: ScheduleSettings, state: ScheduleState = { next: 0, again: [] }) {
    const { groupsPerStep, partsPerGroup, activeGroups, maxLag } = settings;
    this.#settings = settings;
    this.#capacity = Math.min(activeGroups ?? groupsPerStep + 1, (maxLag + 1) * groupsPerStep) * partsPerGroup;
    this.#next = state.next;
    this.#again = [...state.again];
  }

  /** Sets the version of the weights. @returns the groups that are too old and not waited for, which leave */
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

  /** Starts a group; null while none may start. */
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

  /** A part of a group is over: another may take its place. */
  partOver(group: number): void {
    const played = this.#active.get(group);
    if (!played || played.open === 0) return;
    played.open -= 1;
    this.#open -= 1;
  }

  /** A group can be trained; its open parts end. */
  complete(group: number): void {
    const played = this.#active.get(group);
    if (!played) return;
    this.#leaveActive(group);
    this.#complete.push({ group, version: played.version });
  }

  /** A group has failed: another may take its place. */
  leave(group: number): void {
    this.#leaveActive(group);
    this.#complete = this.#complete.filter((each) => each.group !== group);
  }

  /** P complete groups, those of the oldest weights first; null while there are fewer, or an older one is waited for. */
  take(): StartedGroup[] | null {
    const { groupsPerStep, stale } = this.#settings;
    if (this.#complete.length < groupsPerStep) return null;
    const inOrder = this.#complete.toSorted((a, b) => a.version - b.version); // stable: then as they became complete
    const left = inOrder.slice(groupsPerStep);
    if (stale === "wait" && !this.#isInTime(left)) return null;
    const taken = inOrder.slice(0, groupsPerStep);
    this.#hasTaken = true;
    this.#complete = this.#complete.filter((each) => !taken.includes(each));
    return taken;
  }

  counts(): ScheduleCounts {
    const [active, complete] = [this.#active.size, this.#complete.length];
    return { active, complete, open: this.#open, capacity: this.#capacity };
  }

  state(): ScheduleState {
    const untrained = [...this.#again, ...this.#active.keys(), ...this.#complete.map(({ group }) => group)];
    return { next: this.#next, again: untrained.toSorted((a, b) => a - b) };
  }

  #leaveActive(group: number): void {
    this.#open -= this.#active.get(group)?.open ?? 0;
    this.#active.delete(group);
  }

  /** Whether later steps can take every group in time that is left behind. */
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
