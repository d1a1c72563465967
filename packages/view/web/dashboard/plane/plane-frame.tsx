import type { ComponentChildren } from "preact";
import type { RunEvaluation } from "../../../src/protocol.ts";
import { formatNumber, formatPercent } from "@laconic/core/text";
import { ticksOf } from "../../parts/ticks.ts";
import { useWidth } from "../../parts/use-width.ts";

/** Where a value lies in the picture, in CSS pixels. */
export interface PlaneScale {
  readonly x: (tokens: number) => number;
  readonly y: (accuracy: number) => number;
  /** Edges of the part that points lie in. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface PlaneFrameProps {
  /** What has to have room. */
  readonly rows: readonly Pick<RunEvaluation, "tokens" | "accuracy" | "interval">[];
  readonly isLog?: boolean;
  /** Of those who do not see it. */
  readonly label: string;
  /** Problems of an evaluation, the fewest and the most. */
  readonly n: readonly [min: number, max: number];
  /** Of its width, at most. */
  readonly ratio?: number;
  readonly children: (scale: PlaneScale) => ComponentChildren;
}

const margin = { left: 56, right: 16, top: 34, bottom: 44 } as const;

/** Axes and grid of validation accuracy over tokens per episode, as wide as there is room. */
export function PlaneFrame({ rows, isLog = false, label, n, ratio = 0.6, children }: PlaneFrameProps) {
  const [frame, width] = useWidth();
  const height = Math.max(260, Math.min(460, width * ratio));
  const { left, top } = margin;
  const [right, bottom] = [width - margin.right, height - margin.bottom];
  const [low, high] = tokensShown(rows, isLog);
  const bounds = rows.flatMap(({ accuracy, interval }) => interval ?? [accuracy]);
  const [bottomValue, topValue] = [Math.max(0, Math.min(...bounds) - 0.03), Math.min(1, Math.max(...bounds) + 0.03)];
  const scaled = (value: number): number =>
    isLog ? Math.log(Math.max(low, value) / low) / Math.log(high / low) : (value - low) / (high - low);
  const x = (value: number): number => left + scaled(value) * (right - left);
  const y = (value: number): number =>
    bottom - ((value - bottomValue) / (topValue - bottomValue || 1)) * (bottom - top);
  const across = Math.max(2, Math.floor((right - left) / 60));
  const xTicks = isLog ? powersWithin(low, high) : ticksOf(low, high, across);
  const counts = n[0] === n[1] ? formatNumber(n[0]) : `${formatNumber(n[0])} to ${formatNumber(n[1])}`;
  return (
    <div class="panel plane" ref={frame}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          {ticksOf(bottomValue, topValue, 6).map((value) => (
            <g key={value}>
              <line class="grid" x1={left} x2={right} y1={y(value)} y2={y(value)} />
              <text class="tick" x={left - 8} y={y(value) + 4} text-anchor="end">
                {formatPercent(value, 0)}
              </text>
            </g>
          ))}
          {xTicks.map((value) => (
            <g key={value}>
              <line class="grid" x1={x(value)} x2={x(value)} y1={top} y2={bottom} />
              <text class="tick" x={x(value)} y={bottom + 18} text-anchor="middle">
                {formatNumber(value)}
              </text>
            </g>
          ))}
          <text class="tick" x={right} y={height - 6} text-anchor="end">
            tokens per episode
          </text>
          <text class="tick" x={4} y={14}>
            ↑ validation accuracy, n = {counts}
          </text>
          {children({ x, y, left, right, top, bottom })}
        </svg>
      )}
    </div>
  );
}

/** A line through evaluations, as the path of an SVG. */
export function wayPath(
  way: readonly Pick<RunEvaluation, "tokens" | "accuracy">[],
  { x, y }: Pick<PlaneScale, "x" | "y">,
): string {
  return way
    .map((row, i) => `${i === 0 ? "M" : "L"}${x(row.tokens).toFixed(1)},${y(row.accuracy).toFixed(1)}`)
    .join("");
}

function tokensShown(rows: PlaneFrameProps["rows"], isLog: boolean): readonly [low: number, high: number] {
  const tokens = rows.map((row) => row.tokens);
  const [min, max] = [Math.min(...tokens), Math.max(...tokens)];
  const room = (max - min) * 0.06 || 1;
  if (!isLog) return [Math.max(0, min - room), max + room];
  const low = Math.max(0.1, Math.min(...tokens.filter((each) => each > 0)) / 1.3);
  return [low, Math.max(low * 2, max * 1.3)];
}

function powersWithin(low: number, high: number): readonly number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => 10 ** (first + i));
  const factors = powers.length > 4 ? [1] : [1, 2, 5];
  return powers
    .flatMap((power) => factors.map((factor) => Number((factor * power).toPrecision(3))))
    .filter((value) => value >= low && value <= high);
}
