import type { PlanePoint } from "./plane.ts";
import type { Box } from "./place-labels.ts";
import { roundDomain } from "./ticks.ts";

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
