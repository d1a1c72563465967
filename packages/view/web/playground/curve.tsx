import { counted } from "@laconic/core/text";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { lonePoints } from "../parts/lone-point.ts";
import { useStore } from "../parts/store.ts";
import { paints, themeValue } from "../parts/theme.ts";

/** A line over steps. */
export interface CurveProps {
  readonly title: string;
  /** How many of what a point is the mean of. */
  readonly n: string;
  readonly steps: readonly number[];
  readonly values: readonly (number | null)[];
  /** What the first aims at, as dashes, or is measured by, as dots. */
  readonly other?: {
    readonly name: string;
    readonly values: readonly (number | null)[];
    readonly look: "dashes" | "dots";
  };
  readonly color: `--${string}`;
  readonly lastStep: number;
  readonly range: (low: number, high: number) => [number, number];
  readonly format: (value: number) => string;
}

const height = 128;

export function Curve(props: CurveProps): JSX.Element {
  const { title, n, steps, values, other, format } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  // A canvas has the colours that it was drawn in.
  const paint = useStore(paints);
  useEffect(() => {
    const element = place.current as HTMLDivElement;
    chart.current = new uPlot(options(element, latest), dataOf(latest.current), element);
    const resized = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (chart.current && width > 0 && chart.current.width !== width) chart.current.setSize({ width, height });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [paint]);
  useEffect(() => chart.current?.setData(dataOf(props)), [props.steps, props.values, props.other, props.lastStep]);
  const known = values.flatMap((value, i) => (isKnown(value) ? [`${format(value)} at step ${steps[i]}`] : []));
  // The first is of step 0, before the first metrics.
  const gaps = values.slice(1).filter((value) => !isKnown(value)).length;
  const gapText = gaps > 0 ? `, ${counted(gaps, "step")} without a value` : "";
  const words = [...new Set([known[0], known.at(-1)])].join(", ") || "nothing yet";
  return (
    <figure class="curve">
      <figcaption>
        <span>
          {title}
          {n !== "" && <span class="small">, n = {n}</span>}
          {gapText !== "" && <span class="small">{gapText}</span>}
        </span>
        {other && <span class={`soft small ${other.look}`}>{other.name}</span>}
      </figcaption>
      <div ref={place} role="img" aria-label={`${title} by step: ${words}${gapText}${n === "" ? "" : `; n = ${n}`}`} />
    </figure>
  );
}

function isKnown(value: number | null): value is number {
  return Number.isFinite(value);
}

function dataOf({ steps, values, other }: CurveProps): uPlot.AlignedData {
  const all = steps.length === 0 ? [0] : [...steps];
  const blank = steps.length === 0 ? [null] : [];
  const drawn = values.map((value) => (isKnown(value) ? value : null));
  return [all, [...drawn, ...blank], [...(other?.values ?? steps.map(() => null)), ...blank]];
}

function options(element: HTMLElement, latest: { readonly current: CurveProps }): uPlot.Options {
  const font = `12px ${themeValue("--sans")}`;
  const axis = {
    stroke: themeValue("--soft"),
    grid: { stroke: themeValue("--line"), width: 1 },
    ticks: { show: false },
    font,
  };
  return {
    width: Math.max(120, element.clientWidth),
    height,
    padding: [8, 16, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [0, Math.max(10, latest.current.lastStep)] },
      y: { range: (_, low, high) => latest.current.range(low ?? 0, high ?? 0) },
    },
    axes: [
      { ...axis, size: 24, space: 60, label: "step", labelFont: font, labelSize: 16, labelGap: 0 },
      { ...axis, size: 46, space: 28, values: (_, ticks) => ticks.map((tick) => latest.current.format(tick)) },
    ],
    series: [
      {},
      { stroke: themeValue(latest.current.color), width: 2, points: { show: false, filter: lonePoints } },
      latest.current.other?.look === "dots"
        ? {
            stroke: themeValue("--ink"),
            width: 0,
            points: { show: true, size: 6, fill: themeValue("--ink"), width: 0 },
          }
        : { stroke: themeValue("--soft"), width: 1.5, dash: [5, 4], points: { show: false } },
    ],
  };
}
