import { seriesColour } from "@laconic/core/design";
import { formatNumber, formatPercent } from "@laconic/core/text";
import { useState } from "preact/hooks";
import { axes, colour, linePath, lonePoints, px } from "../../src/charts/drawing.ts";
import { scaleOf, textWidth, tickFormat, type Scale } from "../../src/charts/drawing.ts";
import { Drawn, useWidth } from "./drawn.tsx";
import { Key } from "./elements.tsx";
import type { Point } from "./graph-layout.ts";
import { visibleLine } from "./safe-text.ts";

export type Range = readonly [low: number, high: number];

export interface ChartLine {
  readonly key: string;
  readonly label: string;
  /** Eight colours, then the same colours dashed. */
  readonly index: number;
  readonly steps: readonly number[];
  /** Null interrupts the line. */
  readonly values: readonly (number | null)[];
  readonly band?: { readonly low: readonly (number | null)[]; readonly high: readonly (number | null)[] };
  /** References are grey and dashed, measurements are dots. */
  readonly look?: "reference" | "dots";
}

interface LineChartProps {
  readonly lines: readonly ChartLine[];
  readonly range: Range;
  /** `share` is shown in per cent. */
  readonly unit: string;
  readonly height: number;
  readonly label: string;
  readonly isLog?: boolean;
  readonly yRange?: Range;
  readonly changes?: readonly { readonly step: number; readonly text: string }[];
  readonly onSelect?: (range: Range) => void;
}

const dashes = ["", "6 3", "2 3", "8 3 2 3"] as const;

export function LineChart(props: LineChartProps) {
  const [frame, width] = useWidth();
  return (
    <div class="line-chart" ref={frame} style={{ height: `${props.height}px` }} role="img" aria-label={props.label}>
      {width > 0 && <Picture {...props} width={width} />}
    </div>
  );
}

function Picture(props: LineChartProps & { readonly width: number }) {
  const { lines, changes = [], onSelect } = props;
  const [pointer, setPointer] = useState<Point | null>(null);
  const [start, setStart] = useState<number | null>(null);
  const { x, y } = scalesOf(props);
  const [left, right] = x.range;
  const [bottom, top] = y.range;
  const isCrowded = lines.length > 12;
  const locate = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    return { x: Math.min(right, Math.max(left, event.clientX - box.left)), y: event.clientY - box.top };
  };
  const select = (event: PointerEvent): void => {
    const end = locate(event).x;
    if (start !== null && Math.abs(end - start) >= 6)
      onSelect?.([x.value(Math.min(start, end)), x.value(Math.max(start, end))]);
    setStart(null);
  };
  return (
    <>
      <svg
        width={props.width}
        height={props.height}
        font-size={12}
        onPointerMove={(event) => setPointer(locate(event))}
        onPointerLeave={() => (setPointer(null), setStart(null))}
        onPointerDown={(event) => onSelect && setStart(locate(event).x)}
        onPointerUp={select}
      >
        <Drawn
          drawing={axes({
            x,
            y,
            formatX: (value) => (Number.isInteger(value) ? formatNumber(value) : ""),
            formatY: tickFormat(y.ticks, props.unit),
            xLabel: "step",
          })}
        />
        {changes.map(({ step }) => (
          <line
            key={step}
            class="change"
            {...{ x1: px(x.position(step)), x2: px(x.position(step)), y1: top, y2: bottom }}
            stroke="var(--soft)"
            stroke-dasharray="2 3"
          />
        ))}
        {/* Clips lines to the frame plus stroke width. */}
        <svg
          {...{ x: left, y: top - 3, width: right - left, height: bottom - top + 6 }}
          viewBox={`${left} ${top - 3} ${right - left} ${bottom - top + 6}`}
        >
          {lines.map((line) => (
            <Line key={line.key} {...{ line, x, y, isCrowded }} />
          ))}
        </svg>
        {start !== null && pointer !== null && (
          <rect
            class="selection"
            {...{ x: Math.min(start, pointer.x), y: top, height: bottom - top }}
            width={Math.abs(pointer.x - start)}
          />
        )}
      </svg>
      {pointer !== null && <Tooltip {...props} pointer={pointer} {...{ x, y }} />}
    </>
  );
}

function scalesOf({ lines, range, unit, isLog = false, yRange, width, height }: LineChartProps & { width: number }) {
  const values = lines
    .flatMap((line) => [line.values, line.band?.low ?? [], line.band?.high ?? []])
    .flat()
    .filter((value) => value !== null && (!isLog || value > 0)) as number[];
  const low = values.reduce((min, value) => Math.min(min, value), Infinity);
  const high = values.reduce((max, value) => Math.max(max, value), -Infinity);
  const domain =
    yRange ??
    (isLog ? (high > 0 ? ([low, Math.max(high, low * 1.1)] as const) : ([1, 10] as const)) : padded(low, high));
  const y = scaleOf({ domain, range: [height - 42, 8], maxTicks: 5, isLog });
  const format = tickFormat(y.ticks, unit);
  const left = Math.ceil(14 + Math.max(20, ...y.ticks.map((tick) => textWidth(format(tick), 12))));
  const [from, to] = range[1] > range[0] ? range : [range[0] - 0.5, range[0] + 0.5];
  const x = scaleOf({ domain: [from, to], range: [left, width - 14], maxTicks: Math.max(2, Math.floor(width / 70)) });
  return { x, y };
}

function padded(low: number, high: number): Range {
  if (low > high) return [0, 1];
  const room = high > low ? (high - low) * 0.06 : Math.abs(high) * 0.1 || 1;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high <= 0 ? Math.min(0, high + room) : high + room];
}

function Line({ line, x, y, isCrowded }: { line: ChartLine; x: Scale; y: Scale; isCrowded: boolean }) {
  const { steps, values, band, look, index } = line;
  const hue = look === "reference" ? colour(0) : look === "dots" ? "var(--ink)" : colour(seriesColour(index));
  const pointsOf = (column: readonly (number | null)[]): (readonly [number, number])[] =>
    column.map((value, i) => [x.position(steps[i] as number), value === null ? Number.NaN : y.position(value)]);
  const points = pointsOf(values);
  const dots = look === "dots" ? points.filter(([, top]) => Number.isFinite(top)) : lonePoints(points);
  const dash = look === "reference" ? "5 4" : isCrowded ? "" : (dashes[Math.floor(index / 8) % dashes.length] ?? "");
  return (
    <g>
      {band && <path d={areaPath(pointsOf(band.low), pointsOf(band.high))} fill={hue} opacity={0.18} stroke="none" />}
      {look !== "dots" && (
        <path
          d={linePath(points)}
          fill="none"
          stroke={hue}
          stroke-width={isCrowded ? 1 : 1.75}
          stroke-dasharray={dash}
          opacity={isCrowded ? 0.75 : 1}
        />
      )}
      {dots.map(([cx, cy]) => (
        <circle key={cx} cx={px(cx)} cy={px(cy)} r={look === "dots" ? 3 : 2.5} fill={hue} />
      ))}
    </g>
  );
}

function areaPath(low: readonly (readonly [number, number])[], high: readonly (readonly [number, number])[]): string {
  const areas = low.flatMap(([place, bottom], i) => {
    const top = high[i]?.[1] ?? Number.NaN;
    return Number.isFinite(bottom) && Number.isFinite(top) ? [{ place, bottom, top }] : [];
  });
  if (areas.length === 0) return "";
  const upper = areas.map(({ place, top }) => `${px(place)} ${px(top)}`);
  const lower = areas.toReversed().map(({ place, bottom }) => `${px(place)} ${px(bottom)}`);
  return `M${[...upper, ...lower].join("L")}Z`;
}

interface TooltipProps extends LineChartProps {
  readonly width: number;
  readonly pointer: Point;
  readonly x: Scale;
  readonly y: Scale;
}

const maxEntries = 8;
/** Max pixels to a change in the tooltip. */
const near = 8;

function Tooltip({ lines, unit, width, pointer, x, y, changes = [] }: TooltipProps) {
  const entries = lines
    .flatMap((line) => {
      const row = nearestRow(line, x.value(pointer.x));
      const value = line.values[row];
      return typeof value === "number" ? [{ line, row, value, step: line.steps[row] as number }] : [];
    })
    .toSorted((a, b) => Math.abs(y.position(a.value) - pointer.y) - Math.abs(y.position(b.value) - pointer.y));
  const [first] = entries;
  if (!first) return null;
  const side = pointer.x > width / 2 ? { right: `${width - pointer.x + 12}px` } : { left: `${pointer.x + 12}px` };
  return (
    <div class="tooltip" style={side}>
      <div class="soft small">step {formatNumber(Math.round(first.step))}</div>
      {entries.slice(0, maxEntries).map(({ line, row, value }) => (
        <div key={line.key} class="clip">
          <Key index={line.index} /> {visibleLine(line.label, 40)} <b>{withUnit(value, unit)}</b>
          {line.band && (
            <span class="soft small">
              {formatNumber(line.band.low[row] ?? value)} to {formatNumber(line.band.high[row] ?? value)}
            </span>
          )}
        </div>
      ))}
      {changes
        .filter(({ step }) => Math.abs(x.position(step) - pointer.x) <= near)
        .map(({ step, text }) => (
          <div key={step} class="small">
            from step {step} on: {visibleLine(text, 120)}
          </div>
        ))}
      {entries.length > maxEntries && <div class="soft small">and {entries.length - maxEntries} more</div>}
    </div>
  );
}

function nearestRow({ steps, values }: ChartLine, step: number): number {
  let nearest = -1;
  for (const [row, other] of steps.entries())
    if (values[row] !== null && (nearest < 0 || Math.abs(other - step) < Math.abs((steps[nearest] as number) - step)))
      nearest = row;
  return nearest;
}

/** Unit `share` is shown in per cent. */
export function withUnit(value: number, unit: string): string {
  if (unit === "share") return formatPercent(value);
  return unit === "" ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}
