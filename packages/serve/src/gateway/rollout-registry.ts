import type { FinishedRollout, Validated, RecordedCall } from "./rollout-record.ts";

/** Why a rollout ended without training anything. */
export type DropReason =
  /** The harness said so. */
  | "abandoned"
  /** Nothing was asked of it for too long. */
  | "timeout"
  /** Its replies are older than the run takes. */
  | "stale"
  /** It was open when the server ended, or its weights were lost with it. */
  | "lost"
  /** Too few others of its group came. */
  | "lonely";

/** What a rollout is for: those of validation are scored, and never trained. */
export type Split = "train" | "validation";

/** What happened to rollouts, in order: a run that goes on knows from it what there was. */
export type GatewayEvent =
  | { readonly kind: "opened"; readonly id: string }
  | { readonly kind: "finished"; readonly rollout: FinishedRollout }
  | ({ readonly kind: "validated"; readonly id: string } & Validated)
  | { readonly kind: "taken"; readonly step: number; readonly ids: readonly string[] }
  | { readonly kind: "dropped"; readonly id: string; readonly reason: DropReason };

/** A rollout that a harness is at. */
export interface RegistryEntry {
  readonly id: string;
  calls: readonly RecordedCall[];
  group: string | null;
  readonly split: Split;
  /** That it is open is being written, or is; null before. Nobody answers for it until then. */
  opened: Promise<void> | null;
  /** Requests in the making, those that wait for weights included. */
  asking: number;
  /** Requests so far: each draws from a stream of its own. */
  asked: number;
  /** Its reward is being kept. */
  ending: boolean;
  /** When something was last asked of it. */
  touched: number;
}

/** What became of a rollout that is not open any more. */
export type Ended =
  | { readonly state: "finished" | "trained" | "validated" }
  | { readonly state: "dropped"; readonly reason: DropReason };

/** What a step is made of. */
export interface GroupSizes {
  readonly groupsPerStep: number;
  readonly rolloutsPerGroup: number;
  /** A group that waits longer for its last members goes on with those it has, from two on. */
  readonly groupSeconds: number;
}

/** Rollouts of training that are open, or wait for their step. */
export interface Untrained {
  /** Their number by group. */
  readonly byGroup: ReadonlyMap<string, number>;
  /** Of those whose group is not known yet. */
  readonly ungrouped: number;
}

interface Waiting {
  readonly rollout: FinishedRollout;
  readonly since: number;
  readonly order: number;
}

/** Ids that are remembered after their end; older ones are forgotten. */
export const maxEnded = 200_000;

/** Rollouts and groups: who is open, who waits, who is next. In memory; what must outlive the process is told as events. */
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
    for (const group of [...open.map((each) => each.group), ...this.#waiting.map(({ rollout }) => rollout.group)])
      if (group === null) ungrouped += 1;
      else byGroup.set(group, (byGroup.get(group) ?? 0) + 1);
    return { byGroup, ungrouped };
  }

  /** When a rollout of training was last begun, asked or ended: now while one waits for a reply. */
  movedAt(): number {
    const open = [...this.open.values()].filter(({ split }) => split === "train");
    if (open.some(({ asking, ending }) => asking > 0 || ending)) return this.#now();
    return Math.max(this.#moved, ...open.map(({ touched }) => touched));
  }

  /**
   * The step of the oldest reply of each group that is still played; not of those in which nothing was asked or ended for so long. Rollouts whose
   * group is not known count as groups of their own age.
   */
  played(stalledMs: number): number[] {
    const { rolloutsPerGroup } = this.#sizes;
    const groups = new Map<string, Played>();
    const ungrouped: number[] = [];
    for (const [name, members] of this.#byGroup()) {
      const rest = members.slice(members.length - (members.length % rolloutsPerGroup));
      if (this.#isLate(rest)) continue; // it waits for nobody any more
      for (const { rollout, since } of rest) addTo(groups, name, { first: rollout.steps[0], movedAt: since });
    }
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

  /** Ids of those that nobody has asked anything of for so long. */
  idle(seconds: number): string[] {
    const before = this.#now() - 1000 * seconds;
    return [...this.open].flatMap(([id, { asking, ending, touched }]) =>
      asking === 0 && !ending && touched < before ? [id] : [],
    );
  }

  /** Ids of open and of waiting rollouts whose oldest reply is older than so many steps. */
  olderThan(step: number, maxLag: number): string[] {
    const open = [...this.open].flatMap(([id, { calls }]) =>
      calls.some((call) => step - call.step > maxLag) ? [id] : [],
    );
    const waiting = this.#waiting.filter(({ rollout }) => step - rollout.steps[0] > maxLag);
    return [...open, ...waiting.map(({ rollout }) => rollout.id)];
  }

  /**
   * Complete groups: those of the oldest weights in front, of these the first that were complete. A group of more members than it takes gives
   * several.
   */
  ready(): FinishedRollout[][] {
    const { rolloutsPerGroup } = this.#sizes;
    const lots = [...this.#byGroup().values()].flatMap((members) => {
      const count = Math.floor(members.length / rolloutsPerGroup);
      const found = Array.from({ length: count }, (_, i) =>
        members.slice(i * rolloutsPerGroup, (i + 1) * rolloutsPerGroup),
      );
      const rest = members.slice(count * rolloutsPerGroup);
      return this.#isLate(rest) && rest.length > 1 ? [...found, rest] : found;
    });
    return lots
      .toSorted((a, b) => oldestIn(a) - oldestIn(b) || (a.at(-1)?.order ?? 0) - (b.at(-1)?.order ?? 0))
      .map((lot) => lot.map(({ rollout }) => rollout));
  }

  /** Ids of those whose group never came together. */
  lonely(): string[] {
    return [...this.#byGroup().values()].flatMap((members) => {
      const rest = members.slice(members.length - (members.length % this.#sizes.rolloutsPerGroup));
      return rest.length === 1 && this.#isLate(rest) ? rest.map(({ rollout }) => rollout.id) : [];
    });
  }

  /** The groups of a step; they wait no longer. */
  take(): FinishedRollout[][] {
    const taken = this.ready().slice(0, this.#sizes.groupsPerStep);
    const ids = new Set(taken.flat().map(({ id }) => id));
    this.#waiting = this.#waiting.filter(({ rollout }) => !ids.has(rollout.id));
    for (const id of ids) this.end(id, { state: "trained" });
    return taken;
  }

  #byGroup(): Map<string, Waiting[]> {
    const groups = new Map<string, Waiting[]>();
    for (const each of this.#waiting) {
      const members = groups.get(each.rollout.group);
      if (members) members.push(each);
      else groups.set(each.rollout.group, [each]);
    }
    return groups;
  }

  #isLate(members: readonly Waiting[]): boolean {
    const last = members.at(-1);
    return last !== undefined && last.since < this.#now() - 1000 * this.#sizes.groupSeconds;
  }

  /** Remembers how a rollout ended. */
  end(id: string, ended: Ended): void {
    this.#ended.delete(id);
    this.#ended.set(id, ended);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
  }
}

/** A group of which some rollouts are missing. */
interface Played {
  /** Steps done when its first reply was sampled. */
  readonly first: number;
  readonly movedAt: number;
}

function addTo(groups: Map<string, Played>, name: string, { first, movedAt }: Played): void {
  const known = groups.get(name) ?? { first, movedAt };
  groups.set(name, { first: Math.min(known.first, first), movedAt: Math.max(known.movedAt, movedAt) });
}

/** Steps done when the first reply of a group was sampled. */
function oldestIn(lot: readonly Waiting[]): number {
  return Math.min(...lot.map(({ rollout }) => rollout.steps[0]));
}
