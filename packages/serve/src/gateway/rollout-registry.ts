import type { FinishedRollout, Validated, RecordedCall } from "./rollout-record.ts";

export type DropReason =
  | "abandoned"
  | "timeout"
  /** Its replies exceed the max lag. */
  | "stale"
  /** It was open at the server's end, or its weights are lost. */
  | "lost"
  | "lonely";

/** Validation rollouts are scored and never trained. */
export type Split = "train" | "validation";

/** Events of rollouts in order, from which a run resumes. */
export type GatewayEvent =
  | { readonly kind: "opened"; readonly id: string }
  | { readonly kind: "finished"; readonly rollout: FinishedRollout }
  | ({ readonly kind: "validated"; readonly id: string } & Validated)
  | { readonly kind: "taken"; readonly step: number; readonly ids: readonly string[] }
  | { readonly kind: "dropped"; readonly id: string; readonly reason: DropReason };

export interface RegistryEntry {
  readonly id: string;
  calls: readonly RecordedCall[];
  group: string | null;
  readonly split: Split;
  /** Resolves when the `opened` event is stored; null before. */
  opened: Promise<void> | null;
  /** Includes requests that wait for weights. */
  asking: number;
  /** Each request has its random stream. */
  asked: number;
  ending: boolean;
  touched: number;
}

export type Ended =
  | { readonly state: "finished" | "trained" | "validated" }
  | { readonly state: "dropped"; readonly reason: DropReason };

export interface GroupSizes {
  readonly groupsPerStep: number;
  readonly rolloutsPerGroup: number;
  /** Seconds to wait for missing members. */
  readonly groupSeconds: number;
}

/** Training rollouts that are open or wait for their step. */
export interface Untrained {
  readonly byGroup: ReadonlyMap<string, number>;
  readonly ungrouped: number;
}

interface Waiting {
  readonly rollout: FinishedRollout;
  readonly since: number;
  readonly order: number;
}

/** Max remembered ids of ended rollouts. */
export const maxEnded = 200_000;

/** Open and waiting rollouts and their groups, in memory. Events make them durable. */
export class RolloutRegistry {
  readonly open: Map<string, RegistryEntry> = new Map();
  readonly #ended = new Map<string, Ended>();
  #waiting: Waiting[] = [];
  #order = 0;
  #moved: number;
  readonly #sizes: GroupSizes;
  readonly #now: () => number;

  constructor(sizes: GroupSizes, now: () => number) {
    this.#sizes = sizes;
    this.#now = now;
    this.#moved = now();
  }

  ended(id: string): Ended | null {
    return this.#ended.get(id) ?? null;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  begin(id: string, split: Split = "train", group: string | null = null): RegistryEntry {
    const touched = this.#now();
    const made = { id, calls: [], group, split, opened: null, asking: 0, asked: 0, ending: false, touched };
    this.open.set(id, made);
    return made;
  }

  finish(rollout: FinishedRollout): void {
    this.#moved = this.#now();
    this.open.delete(rollout.id);
    this.end(rollout.id, { state: "finished" });
    this.#waiting.push({ rollout, since: this.#now(), order: this.#order++ });
  }

  validated(id: string): void {
    this.open.delete(id);
    this.end(id, { state: "validated" });
  }

  drop(id: string, reason: DropReason): void {
    this.#moved = this.#now();
    this.open.delete(id);
    this.#waiting = this.#waiting.filter(({ rollout }) => rollout.id !== id);
    this.end(id, { state: "dropped", reason });
  }

  untrained(): Untrained {
    const byGroup = new Map<string, number>();
    const open = [...this.open.values()].filter(({ split }) => split === "train");
    let ungrouped = 0;
    for (const group of [
      ...open.map((registryEntry) => registryEntry.group),
      ...this.#waiting.map(({ rollout }) => rollout.group),
    ])
      if (group === null) ungrouped += 1;
      else byGroup.set(group, (byGroup.get(group) ?? 0) + 1);
    return { byGroup, ungrouped };
  }

  /** Last start, request or end of a training rollout. Now, while a request is in progress. */
  movedAt(): number {
    const open = [...this.open.values()].filter(({ split }) => split === "train");
    if (open.some(({ asking, ending }) => asking > 0 || ending)) return this.#now();
    return Math.max(this.#moved, ...open.map(({ touched }) => touched));
  }

  /**
   * Step of the oldest reply of each incomplete group, without groups that are stalled. Rollouts without a known group
   * count as groups of their age.
   */
  played(stalledMs: number): number[] {
    const { rolloutsPerGroup } = this.#sizes;
    const groups = new Map<string, Played>();
    const ungrouped: number[] = [];
    // A late group no longer waits for members.
    for (const { rest } of this.#groups().filter(({ isLate }) => !isLate))
      for (const { rollout, since } of rest) addTo(groups, rollout.group, { first: rollout.steps[0], movedAt: since });
    const now = this.#now();
    for (const { split, calls, group, asking, ending, touched } of this.open.values()) {
      if (split !== "train" || calls.length === 0) continue;
      const first = Math.min(...calls.map(({ step }) => step));
      const movedAt = asking > 0 || ending ? now : touched;
      if (group !== null) addTo(groups, group, { first, movedAt });
      else if (now - movedAt <= stalledMs) ungrouped.push(first);
    }
    return [
      ...[...groups.values()].flatMap(({ first, movedAt }) => (now - movedAt <= stalledMs ? [first] : [])),
      ...ungrouped.toSorted((a, b) => a - b).filter((_, i) => i % rolloutsPerGroup === 0),
    ];
  }

  idle(seconds: number): string[] {
    const before = this.#now() - 1000 * seconds;
    return [...this.open].flatMap(([id, { asking, ending, touched }]) =>
      asking === 0 && !ending && touched < before ? [id] : [],
    );
  }

  olderThan(step: number, maxLag: number): string[] {
    const open = [...this.open].flatMap(([id, { calls }]) =>
      calls.some((call) => step - call.step > maxLag) ? [id] : [],
    );
    const waiting = this.#waiting.filter(({ rollout }) => step - rollout.steps[0] > maxLag);
    return [...open, ...waiting.map(({ rollout }) => rollout.id)];
  }

  /** Complete groups: oldest weights first, then in order of completion. Extra members form further groups. */
  ready(): FinishedRollout[][] {
    return this.#groups()
      .flatMap(({ lots, rest, isLate }) => (isLate && rest.length > 1 ? [...lots, rest] : lots))
      .toSorted((a, b) => oldestIn(a) - oldestIn(b) || (a.at(-1)?.order ?? 0) - (b.at(-1)?.order ?? 0))
      .map((lot) => lot.map(({ rollout }) => rollout));
  }

  lonely(): string[] {
    return this.#groups().flatMap(({ rest, isLate }) =>
      isLate && rest.length === 1 ? rest.map(({ rollout }) => rollout.id) : [],
    );
  }

  take(): FinishedRollout[][] {
    const taken = this.ready().slice(0, this.#sizes.groupsPerStep);
    const ids = new Set(taken.flat().map(({ id }) => id));
    this.#waiting = this.#waiting.filter(({ rollout }) => !ids.has(rollout.id));
    for (const id of ids) this.end(id, { state: "trained" });
    return taken;
  }

  /** Waiting rollouts of each group: complete lots, and a rest that may wait for members no longer. */
  #groups(): { readonly lots: Waiting[][]; readonly rest: Waiting[]; readonly isLate: boolean }[] {
    const { rolloutsPerGroup, groupSeconds } = this.#sizes;
    const late = this.#now() - 1000 * groupSeconds;
    const groups = new Map<string, Waiting[][]>();
    for (const waiting of this.#waiting) {
      const { group } = waiting.rollout;
      const lots = groups.get(group) ?? [];
      groups.set(group, lots);
      const open = lots.at(-1);
      if (open && open.length < rolloutsPerGroup) open.push(waiting);
      else lots.push([waiting]);
    }
    return Array.from(groups.values(), (all) => {
      const lots = all.filter(({ length }) => length === rolloutsPerGroup);
      const rest = all.slice(lots.length).flat();
      return { lots, rest, isLate: (rest.at(-1)?.since ?? late) < late };
    });
  }

  end(id: string, ended: Ended): void {
    this.#ended.delete(id);
    this.#ended.set(id, ended);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
  }
}

interface Played {
  /** Finished steps at its first reply. */
  readonly first: number;
  readonly movedAt: number;
}

function addTo(groups: Map<string, Played>, name: string, { first, movedAt }: Played): void {
  const played = groups.get(name) ?? { first, movedAt };
  groups.set(name, { first: Math.min(played.first, first), movedAt: Math.max(played.movedAt, movedAt) });
}

function oldestIn(lot: readonly Waiting[]): number {
  return Math.min(...lot.map(({ rollout }) => rollout.steps[0]));
}
