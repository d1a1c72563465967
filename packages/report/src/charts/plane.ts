import type { LegendItem } from "./figure.ts";

/** A place in the accuracy-token plane. */
export interface PlanePoint {
  readonly tokens: number;
  /** 0 to 1. */
  readonly accuracy: number;
  /** 95 % interval of the accuracy; null where none is known. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly color: number;
  /** Drawn as a ring: what came before. */
  readonly hollow?: boolean;
  /** One of several that a larger point is the mean of. */
  readonly faint?: boolean;
  /** Stands beside the point, short; the legend has the rest. */
  readonly label?: string;
  /** What the table of values calls it. */
  readonly name: string;
}

/** Accuracy against tokens. Better is up and to the left. */
export interface PlaneChart {
  readonly title: string;
  readonly caption: string;
  readonly level: 2 | 3;
  /** `tokens per episode`, `tokens per question`. */
  readonly xLabel: string;
  readonly points: readonly PlanePoint[];
  readonly legend: readonly LegendItem[];
  /** Joins the points that are neither faint nor hollow: `path` in their order, `frontier` those that no other beats. */
  readonly joined: "path" | "frontier" | "none";
  /** Tokens on a logarithmic axis. */
  readonly logarithmic: boolean;
  readonly budget: number | null;
  /** Under the table of values: what intervals are of, and of how many. */
  readonly remark: string;
}
