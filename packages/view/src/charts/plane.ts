import type { LegendItem } from "./figure.ts";
import type { Box } from "./place-labels.ts";
import { roundDomain } from "./ticks.ts";

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
  /** Of how many a point is the mean: `3 seeds`, `200 problems`; empty where that is not known. */
  readonly n: string;
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

/** From values to a drawing's units and back. */
export interface PlaneAxes {
  /** Of the axes, in the drawing's units. */
  readonly frame: Box;
  readonly tokens: readonly [from: number, to: number];
  readonly accuracy: readonly [from: number, to: number];
  x(tokens: number): number;
  y(accuracy: number): number;
  tokensAt(x: number): number;
  accuracyAt(y: number): number;
}

/** Axes that hold all values; accuracy ends at 1, tokens start at 0 unless they are logarithmic. */
export function planeAxes(
  frame: Box,
  points: readonly PlanePoint[],
  { budget, logarithmic }: { readonly budget: number | null; readonly logarithmic: boolean },
): PlaneAxes {
  const values = [...points.map(({ tokens }) => tokens), ...(budget === null ? [] : [budget])];
  const [from, to] = tokenDomain(values, logarithmic);
  const lows = points.map(({ accuracy, interval }) => interval?.[0] ?? accuracy);
  // Ends on a tick, a little under the lowest value.
  const [low] = roundDomain(Math.max(0, Math.min(...lows) - 0.02), 1, 5);
  const [width, height] = [frame.right - frame.left, frame.bottom - frame.top];
  const scaled = logarithmic ? Math.log10 : (value: number): number => value;
  const back = logarithmic ? (value: number): number => 10 ** value : (value: number): number => value;
  const span = scaled(to) - scaled(from);
  return {
    frame,
    tokens: [from, to],
    accuracy: [low, 1],
    x: (tokens) => frame.left + ((scaled(tokens) - scaled(from)) / span) * width,
    y: (accuracy) => frame.bottom - ((accuracy - low) / (1 - low)) * height,
    tokensAt: (x) => back(scaled(from) + ((x - frame.left) / width) * span),
    accuracyAt: (y) => low + ((frame.bottom - y) / height) * (1 - low),
  };
}

function tokenDomain(tokens: readonly number[], logarithmic: boolean): readonly [number, number] {
  const most = Math.max(...tokens);
  if (!logarithmic) return [0, most > 0 ? most * 1.08 : 1];
  const logs = tokens.map((each) => Math.log10(each));
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const room = Math.max(0.1, 0.08 * (high - low));
  return [10 ** (low - room), 10 ** (high + room)];
}
