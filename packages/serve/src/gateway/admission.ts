import { HttpError } from "../http.ts";
import type { RegistryEntry, RolloutRegistry, Split, Untrained } from "./rollout-registry.ts";

/** Max waiting rollouts: those that the steps within the lag can use. */
export interface Window {
  readonly groups: number;
  readonly rolloutsPerGroup: number;
}

/**
 * Whether one more rollout can be trained. A rollout without a known group counts towards the fullest incomplete
 * groups.
 */
export function isWanted(
  group: string | null,
  { byGroup, ungrouped }: Untrained,
  { groups, rolloutsPerGroup }: Window,
): boolean {
  const begun = [...byGroup].filter(([, members]) => members % rolloutsPerGroup > 0);
  if (group !== null && begun.some(([name]) => name === group)) return true;
  const complete = [...byGroup.values()].reduce((sum, members) => sum + Math.floor(members / rolloutsPerGroup), 0);
  const free = groups - complete;
  if (group !== null) return begun.length + Math.ceil(ungrouped / rolloutsPerGroup) < free;
  const fullest = begun
    .map(([, members]) => members % rolloutsPerGroup)
    .toSorted((a, b) => b - a)
    .slice(0, Math.max(0, free));
  return ungrouped < free * rolloutsPerGroup - fullest.reduce((sum, members) => sum + members, 0);
}

interface Held {
  readonly id: string;
  readonly group: string | null;
  readonly since: number;
  readonly enter: (rollout: RegistryEntry) => void;
  readonly refuse: (reason: unknown) => void;
}

/** Node's fetch times out after 300 s; a client that gets 429 before that retries. */
const maxHeldMs = 240_000;

/**
 * Holds a rollout's first request until a step can train it, so that it rarely becomes stale. Validation rollouts never
 * wait.
 */
export class Admission {
  readonly #registry: RolloutRegistry;
  readonly #window: Window;
  readonly #stalledMs: number;
  readonly #now: () => number;
  readonly #held = new Set<Held>();
  /** Extra groups, added when the window stalls. */
  #extra = 0;

  /** @param stalledSeconds - grows the window by one group after so long without a request to an open rollout */
  constructor(registry: RolloutRegistry, window: Window, stalledSeconds: number, now: () => number) {
    this.#registry = registry;
    this.#window = window;
    this.#stalledMs = 1000 * stalledSeconds;
    this.#now = now;
  }

  get held(): number {
    return new Set(Array.from(this.#held, ({ id }) => id)).size;
  }

  /**
   * Starts a rollout when there is room.
   * @throws HttpError 429 after minutes, the signal's reason, or the reason of `refuseHeld`
   */
  async begin(id: string, group: string | null, split: Split, signal: AbortSignal): Promise<RegistryEntry> {
    if (split === "validation") return this.#registry.begin(id, split);
    signal.throwIfAborted();
    return new Promise((enter, refuse) => {
      const held = { id, group, since: this.#now(), enter, refuse };
      this.#held.add(held);
      signal.addEventListener("abort", () => this.#refuse(held, signal.reason), { once: true });
      this.admit();
    });
  }

  /** Admits in order of arrival; groups are filled before others start. */
  admit(): void {
    if (this.#held.size === 0) return;
    const { byGroup, ungrouped } = this.#registry.untrained();
    const untrained = { byGroup: new Map(byGroup), ungrouped };
    const window = { ...this.#window, groups: this.#window.groups + this.#extra };
    for (const held of this.#held) {
      const { id, group, enter } = held;
      const open = this.#registry.open.get(id); // another request of the same rollout was first
      if (!open && !isWanted(group, untrained, window)) continue;
      if (!open && group === null) untrained.ungrouped += 1;
      else if (!open && group !== null) untrained.byGroup.set(group, (untrained.byGroup.get(group) ?? 0) + 1);
      this.#held.delete(held);
      enter(open ?? this.#registry.begin(id, "train", group));
    }
  }

  nextStep(): void {
    this.#extra = 0;
    this.admit();
  }

  /** Refuses overdue rollouts, and grows a stalled window. Call it regularly. */
  sweep(): void {
    const now = this.#now();
    const { size: count } = this.#held;
    for (const held of this.#held)
      if (now - held.since > maxHeldMs)
        this.#refuse(held, behind(`${count} rollouts wait to begin: the next step is full`));
    if (this.#held.size === 0 || now - this.#registry.movedAt() <= this.#stalledMs) return;
    this.#extra += 1;
    this.admit();
  }

  refuseHeld(reason: unknown): void {
    for (const held of this.#held) this.#refuse(held, reason);
  }

  #refuse(held: Held, reason: unknown): void {
    this.#held.delete(held);
    held.refuse(reason);
  }
}

export function behind(message: string): HttpError {
  return new HttpError(429, message, null, "trainer_behind");
}

/**
 * Whether a step must wait for an incomplete older group. Younger groups would leave more old ones than the remaining
 * steps can take. Ages are the steps whose weights wrote the oldest replies, oldest first.
 */
export function isWorthWaiting(
  { ready, played }: Readonly<Record<"ready" | "played", readonly number[]>>,
  { step, maxLag, groupsPerStep }: { readonly step: number; readonly maxLag: number; readonly groupsPerStep: number },
): boolean {
  const youngest = ready.slice(0, groupsPerStep).at(-1) ?? step;
  const left = [...ready.slice(groupsPerStep), ...played];
  return played.some((age) => {
    const inTime = (age + maxLag - step) * groupsPerStep;
    return age < youngest && left.filter((value) => value <= age).length > inTime;
  });
}
