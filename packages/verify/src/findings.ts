/** What is compared, in the order in which a run computes: the first contradiction usually causes those after it. */
export const stages: readonly Stage[] =
  "files problem ledger text grade reward price batch advantage loss metric evaluation".split(" ") as readonly Stage[];

/** What a comparison belongs to. */
export type Stage =
  | ("files" | "problem" | "ledger" | "text" | "grade" | "reward" | "price")
  | ("batch" | "advantage" | "loss" | "metric" | "evaluation");

/** Where in a run, as far as it is known. */
export interface Place {
  readonly step?: number;
  /** Which held-out problems; absent in training. */
  readonly split?: "validation" | "test";
  readonly policy?: string;
  /** Position among the episodes of the step or the evaluation. */
  readonly episode?: number;
  readonly problem?: string;
  readonly agent?: string;
  readonly turn?: number;
  /** Counted from 0 over the run. */
  readonly optimizerStep?: number;
}

/** A value of the folder that contradicts the rest of it. */
export interface Contradiction extends Place {
  readonly stage: Stage;
  readonly key: string;
  readonly expected: unknown;
  /** In the folder; null for a missing value. */
  readonly found: unknown;
}

/**
 * Sums of equal float64 numbers in another order agree within this, absolute and relative to the larger. The absolute part
 * decides near 0, where rounding has no relative bound.
 */
const tolerance = 1e-9;

const maxContradictions = 10_000;

/** What has been compared so far, what contradicts, and what is not covered. */
export class Findings {
  readonly contradictions: Contradiction[] = [];
  /** Values compared, by stage. */
  readonly compared: Partial<Record<Stage, number>> = {};
  /** Names of what is not computed, each with its reasons. */
  readonly notCovered: Map<string, Set<string>> = new Map();
  total = 0;

  leaveOut(name: string, why: string): void {
    this.notCovered.set(name, (this.notCovered.get(name) ?? new Set()).add(why));
  }

  /** Compares numbers; NaN, null and a missing number are the same. */
  number(stage: Stage, place: Place, key: string, expected: number, found: unknown): void {
    const value = typeof found === "number" ? found : Number.NaN;
    const allowed = tolerance * (1 + Math.max(Math.abs(expected), Math.abs(value)));
    const agrees =
      Object.is(expected, value) || expected === value || Math.abs(expected - value) <= Math.min(allowed, 1);
    this.#note(agrees, { ...place, stage, key, expected, found: found ?? null });
  }

  /** Compares values of JSON; the order of keys does not count. */
  same(stage: Stage, place: Place, key: string, expected: unknown, found: unknown): void {
    this.#note(sortedJson(expected) === sortedJson(found), { ...place, stage, key, expected, found: found ?? null });
  }

  #note(agrees: boolean, contradiction: Contradiction): void {
    const { stage } = contradiction;
    this.compared[stage] = (this.compared[stage] ?? 0) + 1;
    if (agrees) return;
    this.total += 1;
    if (this.contradictions.length < maxContradictions) this.contradictions.push(contradiction);
  }

  /** By step, then in the order of `stages`. */
  sorted(): readonly Contradiction[] {
    const order = ({ step = 1e12, stage }: Contradiction): number => step * stages.length + stages.indexOf(stage);
    return this.contradictions.toSorted((a, b) => order(a) - order(b));
  }
}

/** The JSON of a value with sorted keys, from which checksums of settings and problems are made. */
export function sortedJson(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return text ?? "null";
}
