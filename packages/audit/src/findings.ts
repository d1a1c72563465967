/** How a difference came about, in the order in which a step computes: the first is the cause of those behind it. */
export const stages = [
  "folder",
  "episode",
  "grade",
  "reward",
  "price",
  "batch",
  "advantage",
  "log-prob",
  "loss",
  "gradient",
  "optimizer",
  "metric",
  "evaluation",
  "weights",
] as const;

/** One of `stages`. */
export type Stage = (typeof stages)[number];

/** Where in a run: as much of it as is known. */
export interface Place {
  readonly step?: number;
  readonly policy?: string;
  /** Position among the step's rollouts. */
  readonly episode?: number;
  readonly problem?: string;
  readonly agent?: string;
  readonly turn?: number;
  /** Position among the sequences that a policy was trained on in the step. */
  readonly sequence?: number;
  readonly token?: number;
  /** Counted from 0 over the run. */
  readonly optimizerStep?: number;
  /** Who computed it, where it was not this audit's own code. */
  readonly by?: string;
}

/** A value of the folder that is not what it has to be. */
export interface Difference extends Place {
  readonly stage: Stage;
  readonly key: string;
  /** Computed here. */
  readonly expected: unknown;
  /** In the folder. */
  readonly found: unknown;
  /** How far the two may lie apart; absent where they have to be equal. */
  readonly tolerance?: number;
}

/** Two numbers agree up to `absolute` plus `relative` times the larger of them. */
export interface Tolerance {
  readonly absolute: number;
  readonly relative: number;
}

/** Sums of the same float64 numbers in another order. */
export const arithmetic: Tolerance = { absolute: 1e-9, relative: 1e-9 };
/** Counts, flags and schedules. */
export const exact: Tolerance = { absolute: 0, relative: 1e-12 };

/** Differences that are kept; the others are counted. */
const maxDifferences = 10_000;

/** What an audit has compared so far, and where it differs. */
export class Findings {
  readonly differences: Difference[] = [];
  /** Values compared, by stage. */
  readonly compared: Partial<Record<Stage, number>> = {};
  /** Largest difference that was let pass, by stage. */
  readonly largest: Partial<Record<Stage, number>> = {};
  readonly #notAuditable = new Map<string, string>();
  /** Only what lies in these steps is compared. */
  readonly #isAsked: (step: number | undefined) => boolean;
  total = 0;

  constructor(isAsked: (step: number | undefined) => boolean = () => true) {
    this.#isAsked = isAsked;
  }

  /** What cannot be computed again, and why; each once. */
  get notAuditable(): readonly { readonly what: string; readonly why: string }[] {
    return Array.from(this.#notAuditable, ([what, why]) => ({ what, why }));
  }

  leaveOut(what: string, why: string): void {
    if (!this.#notAuditable.has(what)) this.#notAuditable.set(what, why);
  }

  /** Compares numbers; NaN, null and a missing number are one. @returns whether they agree */
  number(
    stage: Stage,
    place: Place,
    key: string,
    expected: number,
    found: unknown,
    tolerance: Tolerance = arithmetic,
  ): boolean {
    if (!this.#isAsked(place.step)) return true;
    this.#count(stage);
    const value = typeof found === "number" ? found : Number.NaN;
    if (Number.isNaN(expected) && Number.isNaN(value)) return true;
    const allowed = tolerance.absolute + tolerance.relative * Math.max(Math.abs(expected), Math.abs(value));
    const gap = Math.abs(expected - value);
    if (expected === value || gap <= allowed) {
      this.largest[stage] = Math.max(this.largest[stage] ?? 0, expected === value ? 0 : gap);
      return true;
    }
    const missing = found === undefined ? "nothing" : value;
    return this.#differ({ ...place, stage, key, expected, found: missing, ...(allowed > 0 && { tolerance: allowed }) });
  }

  /** Compares anything that JSON holds, whatever the order of keys. @returns whether it is the same */
  same(stage: Stage, place: Place, key: string, expected: unknown, found: unknown): boolean {
    if (!this.#isAsked(place.step)) return true;
    this.#count(stage);
    if (sortedJson(expected) === sortedJson(found)) return true;
    return this.#differ({ ...place, stage, key, expected, found: found === undefined ? "nothing" : found });
  }

  #count(stage: Stage): void {
    this.compared[stage] = (this.compared[stage] ?? 0) + 1;
  }

  #differ(difference: Difference): false {
    this.total += 1;
    if (this.differences.length < maxDifferences) this.differences.push(difference);
    return false;
  }

  /** By step, and within a step in the order in which it computes. */
  sorted(): readonly Difference[] {
    const order = (each: Difference): number => (each.step ?? Infinity) * stages.length + stages.indexOf(each.stage);
    return this.differences.toSorted((a, b) => {
      const [x, y] = [order(a), order(b)];
      return x === y ? 0 : x - y;
    });
  }
}

/** The JSON of a value with sorted keys. */
function sortedJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
