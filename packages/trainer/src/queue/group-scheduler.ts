export interface ScheduleSettings {
  /** P: groups per step. */
  readonly groupsPerStep: number;
  /** Parts of a group: its episodes, or 1 for a tree. */
  readonly partsPerGroup: number;
  /** W: groups' worth of concurrent parts; null for `groupsPerStep` + 1. */
  readonly activeGroups: number | null;
  /** Max age of a group's weights in steps. */
  readonly maxLag: number;
  /** Whether groups about to exceed `maxLag` are awaited or dropped. */
  readonly stale: "wait" | "drop";
  /** Steps of the run; no group starts beyond the last one. */
  readonly steps: number;
}

export interface StartedGroup {
  readonly group: number;
  readonly version: number;
}

/** Next new group, and untrained groups, which restart first. */
export interface ScheduleState {
  readonly next: number;
  readonly again: readonly number[];
}

export interface ScheduleCounts {
  readonly active: number;
  /** Groups waiting for a step. */
  readonly complete: number;
  readonly open: number;
  readonly capacity: number;
}

/**
 * Starts pause at this many complete groups, in steps' worth. Without this bound, a slow optimizer would train on the
 * oldest groups allowed; with it, speed is equal and the lag halves.
 */
const maxWaiting = 2;

/**
 * Decides which groups start and which are trained, without a clock: equal events give equal decisions. Groups are
 * numbered in the order of problems.
 * The first P complete groups are trained. A group starts when enough parts of any groups have ended, so stragglers
 * block no slot. Untrained groups never exceed what steps within `maxLag` can take, and none starts while two steps'
 * worth are complete.
 * With `stale: "wait"`, a step never leaves more groups of a version than later steps can take. By induction no group
 * exceeds `maxLag`, and a step waits only for groups that it must take.
 */
export class GroupScheduler {
  readonly #settings: ScheduleSettings;
  readonly #capacity: number;
  readonly #active = new Map<number, StartedGroup & { open: number }>();
  #complete: StartedGroup[] = [];
  #version = 0;
  #open = 0;
  #next: number;
  #again: number[];
  /** Whether a step took groups under these weights. */
  #hasTaken = false;

  /** @param state - its untrained groups start first */
  constructor(settings: ScheduleSettings, state: ScheduleState = { next: 0, again: [] }) {
    const { groupsPerStep, partsPerGroup, activeGroups, maxLag } = settings;
    this.#settings = settings;
    this.#capacity = Math.min(activeGroups ?? groupsPerStep + 1, (maxLag + 1) * groupsPerStep) * partsPerGroup;
    this.#next = state.next;
    this.#again = [...state.again];
  }

  /** Sets the weight version. @returns the dropped stale groups */
  advance(now: number): StartedGroup[] {
    const { maxLag, stale } = this.#settings;
    if (now !== this.#version) this.#hasTaken = false;
    this.#version = now;
    if (stale === "wait") return [];
    const old = [...this.#active.values(), ...this.#complete].filter((item) => item.version < now - maxLag);
    for (const { group } of old) this.#leaveActive(group);
    this.#complete = this.#complete.filter((item) => item.version >= now - maxLag);
    return old.map(({ group, version }) => ({ group, version })).toSorted((a, b) => a.group - b.group);
  }

  /** Starts a group; null if none may start. */
  start(): StartedGroup | null {
    const { groupsPerStep, partsPerGroup, maxLag, steps } = this.#settings;
    if (this.#open + partsPerGroup > this.#capacity || this.#complete.length >= maxWaiting * groupsPerStep) return null;
    // That step takes no more groups, and new groups start with its weights.
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

  /** Marks a group as trainable and frees its open parts. */
  complete(group: number): void {
    const played = this.#active.get(group);
    if (!played) return;
    this.#leaveActive(group);
    this.#complete.push({ group, version: played.version });
  }

  leave(group: number): void {
    this.#leaveActive(group);
    this.#complete = this.#complete.filter((item) => item.group !== group);
  }

  /** Takes P complete groups, oldest weights first; null if too few, or an older group is awaited. */
  take(): StartedGroup[] | null {
    const { groupsPerStep, stale } = this.#settings;
    if (this.#complete.length < groupsPerStep) return null;
    const inOrder = this.#complete.toSorted((a, b) => a.version - b.version); // stable: ties keep completion order
    const left = inOrder.slice(groupsPerStep);
    if (stale === "wait" && !this.#isInTime(left)) return null;
    const taken = inOrder.slice(0, groupsPerStep);
    this.#hasTaken = true;
    this.#complete = this.#complete.filter((item) => !taken.includes(item));
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

  /** Whether later steps can take all remaining groups in time. */
  #isInTime(left: readonly StartedGroup[]): boolean {
    const { groupsPerStep, maxLag } = this.#settings;
    const byAge = new Map<number, number>();
    for (const item of [...left, ...this.#active.values()]) byAge.set(item.version, (byAge.get(item.version) ?? 0) + 1);
    let sum = 0;
    return [...byAge]
      .toSorted(([a], [b]) => a - b)
      .every(([value, count]) => (sum += count) <= (value + maxLag - this.#version) * groupsPerStep);
  }
}
