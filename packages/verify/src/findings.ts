/** Stages in the order of a run's computation: the first contradiction usually causes later ones. */
export const stages: readonly Stage[] =
  "files problem ledger text grade reward price batch advantage loss metric evaluation".split(" ") as readonly Stage[];

/** Stage of a comparison. */
export type Stage =
  | ("files" | "problem" | "ledger" | "text" | "grade" | "reward" | "price")
  | ("batch" | "advantage" | "loss" | "metric" | "evaluation");

export type Split = "validation" | "test";

/**
 * Location in a run, as far as known. `episode` is the position in its step or evaluation; optimizer steps count from 0
 * over the run; training has no `split`.
 */
export type Place = Partial<
  Readonly<Record<"step" | "episode" | "turn" | "optimizerStep", number>> &
    Readonly<Record<"policy" | "problem" | "agent", string> & Record<"split", Split>>
>;

/** A value that contradicts other files of the folder. */
export type Contradiction = Place & {
  readonly stage: Stage;
  readonly key: string;
  readonly expected: unknown;
  /** Value in the folder; null if missing. */
  readonly found: unknown;
};

export interface Comparisons {
  /** Treats NaN, null and missing as equal. */
  number(key: string, expected: number, found: unknown): void;
  /** Compares JSON values; key order is ignored. */
  same(key: string, expected: unknown, found: unknown): void;
}

/**
 * Bound for float64 sums in different order, absolute and relative to the larger. The absolute part is needed near 0,
 * where rounding has no relative bound.
 */
const tolerance = 1e-9;

export class Findings {
  readonly contradictions: Contradiction[] = [];
  readonly compared: Partial<Record<Stage, number>> = {};
  readonly notCovered: Map<string, Set<string>> = new Map();
  total = 0;

  leaveOut(name: string, why: string): void {
    this.notCovered.set(name, (this.notCovered.get(name) ?? new Set()).add(why));
  }

  at(stage: Stage, location: Place): Comparisons {
    const note = (agrees: boolean, key: string, expected: unknown, match: unknown = null): void => {
      this.compared[stage] = (this.compared[stage] ?? 0) + 1;
      this.total += agrees ? 0 : 1;
      if (!agrees && this.total <= 10_000)
        this.contradictions.push({ ...location, stage, key, expected, found: match });
    };
    return {
      number(key, expected, match) {
        const value = typeof match === "number" ? match : Number.NaN;
        const allowed = tolerance * (1 + Math.max(Math.abs(expected), Math.abs(value)));
        const isNear = Math.abs(expected - value) <= Math.min(allowed, 1);
        note(isNear || Object.is(expected, value) || expected === value, key, expected, match);
      },
      same: (key, expected, match) =>
        note(expected === match || sortedJson(expected) === sortedJson(match), key, expected, match),
    };
  }

  sorted(): readonly Contradiction[] {
    const order = ({ step = 1e12, stage }: Contradiction): number => step * stages.length + stages.indexOf(stage);
    return this.contradictions.toSorted((a, b) => order(a) - order(b));
  }
}

/** JSON with sorted keys, the input of settings and problem checksums. */
export function sortedJson(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return text ?? "null";
}
