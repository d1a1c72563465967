/** What is compared, in the order in which a run computes: the first contradiction usually causes those after it. */
export const stages: readonly Stage[] =
  "files problem ledger text grade reward price batch advantage loss metric evaluation".split(" ") as readonly Stage[];

/** What a comparison belongs to. */
export type Stage =
  | ("files" | "problem" | "ledger" | "text" | "grade" | "reward" | "price")
  | ("batch" | "advantage" | "loss" | "metric" | "evaluation");

/** Which evaluated problems. */
export type Split = "validation" | "test";

/**
 * Where in a run, as far as it is known. `episode` is the position in its step or evaluation; optimiser steps are counted from 0 over
 * the run; training has no `split`.
 */
export type Place = Partial<
  Readonly<Record<"step" | "episode" | "turn" | "optimizerStep", number>> &
    Readonly<Record<"policy" | "problem" | "agent", string> & Record<"split", Split>>
>;

/** A value of the folder that contradicts the rest of it. */
export type Contradiction = Place & {
  readonly stage: Stage;
  readonly key: string;
  readonly expected: unknown;
  /** In the folder; null for a missing value. */
  readonly found: unknown;
};

/** Compares what is computed here with what the folder has. */
export interface Comparisons {
  /** NaN, null and a missing number are the same. */
  number(key: string, expected: number, found: unknown): void;
  /** Values of JSON; the order of keys does not count. */
  same(key: string, expected: unknown, found: unknown): void;
}

/**
 * Sums of equal float64 numbers in another order agree within this, absolute and relative to the larger. The absolute part
 * decides near 0, where rounding has no relative bound.
 */
const tolerance = 1e-9;

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

  /** Comparisons of a stage at a place. */
  at(stage: Stage, place: Place): Comparisons {
    const note = (agrees: boolean, key: string, expected: unknown, found: unknown = null): void => {
      this.compared[stage] = (this.compared[stage] ?? 0) + 1;
      this.total += agrees ? 0 : 1;
      if (!agrees && this.total <= 10_000) this.contradictions.push({ ...place, stage, key, expected, found });
    };
    return {
      number(key, expected, found) {
        const value = typeof found === "number" ? found : Number.NaN;
        const allowed = tolerance * (1 + Math.max(Math.abs(expected), Math.abs(value)));
        const isNear = Math.abs(expected - value) <= Math.min(allowed, 1);
        note(isNear || Object.is(expected, value) || expected === value, key, expected, found);
      },
      same: (key, expected, found) =>
        note(expected === found || sortedJson(expected) === sortedJson(found), key, expected, found),
    };
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
