import { seriesColour } from "@laconic/core/design";
import uPlot from "uplot";
import type { ChangesOfStep } from "../../../src/protocol.ts";
import { formatNumber, formatPercent } from "@laconic/core/text";
import { lonePoints } from "../../parts/lone-point.ts";
import { themeValue } from "../../parts/theme.ts";
import { drawChanges } from "./change-marks.ts";
import type { SeriesStyle } from "./plot-data.ts";
import type { Range } from "./range.ts";

export interface PlotOptions {
  readonly width: number;
  readonly height: number;
  readonly unit: string;
  readonly isLog: boolean;
  readonly styles: readonly SeriesStyle[];
  readonly changes: readonly ChangesOfStep[];
  readonly onSelect: (range: Range) => void;
  /** Index of the point under the cursor and its height in pixels; null when it left. */
  readonly onHover: (at: { readonly index: number; readonly left: number; readonly top: number } | null) => void;
}

/** `distr: Logarithmic`; that name exists in the declarations alone, and its number is not of their type. */
const logarithmic: uPlot.Scale = Object.fromEntries<number>([["distr", 3]]);

/** All charts of a page move their cursors together. */
const together = uPlot.sync("steps");

/** A chart for as many series as there are styles. */
export function makePlot(element: HTMLElement, options: PlotOptions, data: uPlot.AlignedData, range: Range): uPlot {
  const [ink, line] = [themeValue("--soft"), themeValue("--line")];
  const isCrowded = options.styles.length > 12;
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const { index, hasBand } of options.styles) {
    const hue = themeValue(`--c${seriesColour(index)}`);
    const dash = [undefined, [6, 3], [2, 3], [8, 3, 2, 3]][Math.floor(index / 8) % 4];
    const at = series.length;
    series.push({
      stroke: hue,
      width: isCrowded ? 1 : 1.75,
      ...(dash !== undefined && !isCrowded && { dash }),
      points: { show: false, filter: lonePoints },
      alpha: isCrowded ? 0.75 : 1,
    });
    if (!hasBand) continue;
    series.push({ stroke: "transparent", width: 0, points: { show: false } });
    series.push({ stroke: "transparent", width: 0, points: { show: false } });
    bands.push({ series: [at + 2, at + 1], fill: `${hue}2e` });
  }
  const tick = (value: number): string =>
    options.unit === "share" ? formatPercent(value).replace(".0", "") : formatNumber(value);
  const font = `12px ${themeValue("--sans")}`;
  const axis: uPlot.Axis = {
    stroke: ink,
    font,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  };
  return new uPlot(
    {
      width: options.width,
      height: options.height,
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: together.key, scales: ["x", null] },
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        y: false,
      },
      scales: {
        x: { time: false, auto: false, range: (own) => wide(ranges.get(own) ?? range) },
        y: options.isLog ? logarithmic : { range: (_plot, low, high) => padded(low, high) },
      },
      axes: [
        {
          ...axis,
          values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? formatNumber(value) : "")),
          size: 30,
          space: 56,
          label: "step",
          labelFont: font,
          labelSize: 16,
          labelGap: 0,
        },
        {
          ...axis,
          values: (_plot, splits) => splits.map((value) => (value === null ? "" : tick(value))),
          size: (_plot, values) => Math.max(34, 14 + 7 * Math.max(0, ...(values ?? []).map((value) => value.length))),
          space: 28,
        },
      ],
      series,
      bands,
      hooks: {
        draw: [(own) => drawChanges(own, options.changes, ink)],
        setSelect: [
          (own) => {
            const { select, posToVal } = own;
            if (select.width < 6) return;
            const chosen: Range = [posToVal(select.left, "x"), posToVal(select.left + select.width, "x")];
            own.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            options.onSelect(chosen);
          },
        ],
        setCursor: [
          ({ cursor }) =>
            options.onHover(
              typeof cursor.idx === "number" && (cursor.left ?? -1) >= 0
                ? { index: cursor.idx, left: cursor.left ?? 0, top: cursor.top ?? 0 }
                : null,
            ),
        ],
      },
    },
    data,
    element,
  );
}

const ranges = new WeakMap<uPlot, Range>();

/** Moves the visible part. */
export function showRange(plot: uPlot, range: Range): void {
  ranges.set(plot, range);
  plot.setScale("x", { min: range[0], max: range[1] });
}

/** A run of one step has a picture, too. */
function wide([low, high]: Range): [number, number] {
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

function padded(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = high > low ? (high - low) * 0.06 : Math.abs(high) * 0.1 || 1;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high <= 0 ? Math.min(0, high + room) : high + room];
}
