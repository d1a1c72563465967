import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { ChangesOfStep, MetricInfo } from "../../../src/protocol.ts";
import { counted, formatNumber, formatPercent } from "@laconic/core/text";
import { paints } from "../../parts/theme.ts";
import { useStore } from "../../parts/store.ts";
import { SafeLine } from "../../parts/text.tsx";
import { useWidth } from "../../parts/use-width.ts";
import { hueOf } from "../parts.tsx";
import { changeNear } from "./change-marks.ts";
import { askFor, openChart, type Drawn } from "./column-client.ts";
import { inTurn, notAnymore } from "./in-turn.ts";
import { makePlot, showRange } from "./plot.ts";
import { plotData } from "./plot-data.ts";
import type { Range } from "./range.ts";

/** A line of a chart: some runs, drawn as one. */
export interface ChartGroup {
  readonly key: string;
  readonly label: string;
  readonly runs: readonly string[];
  readonly index: number;
}

interface ChartProps {
  readonly metric: MetricInfo;
  readonly groups: readonly ChartGroup[];
  readonly range: Range | null;
  readonly whole: Range | null;
  readonly smoothing: number;
  readonly isLog: boolean;
  /** Settings that changed, of one run; empty of several. */
  readonly changes: readonly ChangesOfStep[];
  readonly onSelect: (range: Range) => void;
  readonly onExtent: (extent: Range) => void;
}

const height = 210;

/** One metric of many runs. Nothing is asked or drawn while it is out of sight. */
export function Chart(props: ChartProps) {
  const { metric } = props;
  const frame = useRef<HTMLElement>(null);
  const [isSeen, setSeen] = useState(false);
  const [counts, setCounts] = useState({ values: 0, gaps: 0 });
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setSeen(entry?.isIntersecting === true), {
      rootMargin: "120px",
    });
    if (frame.current !== null) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return (
    <figure class="chart panel" ref={frame} data-metric={metric.name}>
      <figcaption>
        <strong>
          <SafeLine text={metric.name} />
        </strong>
        {metric.unit !== "" && (
          <span class="soft small"> {metric.unit === "share" ? "percent" : <SafeLine text={metric.unit} />}</span>
        )}
        {counts.values + counts.gaps > 0 && <span class="soft small"> n = {nOf(counts, props.groups)}</span>}
        {metric.meaning !== null && (
          <span class="meaning soft small">
            <SafeLine text={metric.meaning} max={400} />
          </span>
        )}
      </figcaption>
      {isSeen ? <Canvas {...props} onCounts={setCounts} /> : <div class="canvas" />}
    </figure>
  );
}

interface CanvasProps extends ChartProps {
  /** Receives the numbers of values and of rows without one. */
  readonly onCounts: (counts: Counts) => void;
}

function Canvas(props: CanvasProps) {
  const { metric, groups, range, whole, smoothing, isLog, changes, onSelect, onExtent, onCounts } = props;
  const [element, width] = useWidth();
  const plot = useRef<uPlot | null>(null);
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const [hover, setHover] = useState<{ readonly index: number; readonly left: number; readonly top: number } | null>(
    null,
  );
  const paint = useStore(paints);
  const latest = useRef({ onSelect, onExtent });
  latest.current = { onSelect, onExtent };
  const lines = groups.map(({ key, index, runs }) => `${key} ${index} ${runs.join(" ")}`).join("\n");
  const visible = range ?? whole ?? drawn?.drawing.extent ?? null;

  useEffect(
    () =>
      openChart(metric.name, (next) => {
        setDrawn(next);
        onCounts(next.drawing);
        if (next.drawing.extent !== null) latest.current.onExtent(next.drawing.extent);
      }),
    [metric.name],
  );
  useEffect(() => {
    if (width === 0) return;
    askFor(metric.name, {
      metric: metric.name,
      groups: groups.map(({ key, runs }) => ({ key, runs })),
      range: range ?? whole,
      // Of many lines nobody sees every pixel.
      points: Math.max(120, groups.length > 24 ? width / 2 : width),
      smoothing,
    });
  }, [metric.name, lines, range?.join(), whole?.join(), smoothing, width]);

  // While others are asked for, the old picture stays.
  const isOf =
    drawn !== null &&
    drawn.spec.groups.length === groups.length &&
    drawn.spec.groups.every(({ key }, i) => key === groups[i]?.key);
  const select = (chosen: Range): void => latest.current.onSelect(chosen);
  const form = `${metric.name}\n${metric.unit}\n${lines}\n${isLog}\n${width}\n${paint}\n${changes.map(({ step }) => step).join()}`;
  const made = useRef<{ readonly form: string; readonly drawn: Drawn } | null>(null);
  useEffect(() => {
    if (width === 0 || !isOf || visible === null) return;
    inTurn(latest, () => {
      if (element.current === null) return;
      if (made.current?.form !== form) {
        plot.current?.destroy();
        const styles = groups.map(({ index, runs }) => ({ index, hasBand: runs.length > 1 }));
        const options = {
          width,
          height,
          unit: metric.unit,
          isLog,
          styles,
          changes,
          onSelect: select,
          onHover: setHover,
        };
        plot.current = makePlot(element.current, options, plotData(drawn.drawing, styles, isLog), visible);
      } else if (made.current.drawn !== drawn)
        plot.current?.setData(
          plotData(
            drawn.drawing,
            groups.map(({ runs }) => ({ hasBand: runs.length > 1 })),
            isLog,
          ),
          false,
        );
      made.current = { form, drawn };
      if (plot.current !== null) showRange(plot.current, visible);
    });
  }, [form, drawn, visible?.join()]);
  useEffect(
    () => () => {
      notAnymore(latest);
      plot.current?.destroy();
    },
    [],
  );

  const isEmpty = drawn !== null && drawn.missing === 0 && drawn.drawing.extent === null;
  return (
    <>
      <div class="canvas" ref={element} role="img" aria-label={described(metric, groups, drawn)}>
        {hover !== null && drawn !== null && isOf && (
          <Tooltip
            at={hover}
            drawn={drawn}
            groups={groups}
            unit={metric.unit}
            changes={changes}
            plot={plot.current}
            width={width}
          />
        )}
      </div>
      {isEmpty && <p class="soft small over">No run here has logged this yet.</p>}
      {drawn !== null && drawn.missing > 0 && (
        <p class="soft small over">Reading {formatNumber(drawn.missing)} columns …</p>
      )}
    </>
  );
}

interface TooltipProps {
  readonly at: { readonly index: number; readonly left: number; readonly top: number };
  readonly drawn: Drawn;
  readonly groups: readonly ChartGroup[];
  readonly unit: string;
  readonly changes: readonly ChangesOfStep[];
  readonly plot: uPlot | null;
  readonly width: number;
}

/** The step, and the series nearest to the pointer. */
function Tooltip({ at, drawn, groups, unit, changes, plot, width }: TooltipProps) {
  const { steps, series } = drawn.drawing;
  const step = steps[at.index];
  if (step === undefined || plot === null) return null;
  const pointer = plot.posToVal(at.top, "y");
  const values = series
    .map(({ mean, low, high }, i) => ({
      group: groups[i] as ChartGroup,
      value: mean[at.index] as number,
      low: low?.[at.index],
      high: high?.[at.index],
    }))
    .filter(({ value }) => Number.isFinite(value))
    .toSorted((a, b) => Math.abs(a.value - pointer) - Math.abs(b.value - pointer));
  if (values.length === 0) return null;
  const left = plot.over.offsetLeft + at.left;
  const change = changeNear(plot, changes, at.left);
  return (
    <div
      class={`tooltip ${left > width / 2 ? "to-left" : ""}`}
      style={left > width / 2 ? { right: `${width - left + 12}px` } : { left: `${left + 12}px` }}
    >
      <div class="soft small">step {formatNumber(Math.round(step))}</div>
      {values.slice(0, 8).map(({ group, value, low, high }) => (
        <div key={group.key} class="entry">
          <i class={`key ${hueOf(group.index)}`} />
          <span class="label">
            <SafeLine text={group.label} max={40} />
          </span>
          <b>{withUnit(value, unit)}</b>
          {low !== undefined && high !== undefined && low !== high && (
            <span class="soft small">
              {formatNumber(low)} to {formatNumber(high)}
            </span>
          )}
        </div>
      ))}
      {change !== null && (
        <div class="small">
          from step {change.step} on: <SafeLine text={change.text} max={120} />
        </div>
      )}
      {values.length > 8 && <div class="soft small">and {values.length - 8} more</div>}
    </div>
  );
}

type Counts = Pick<Drawn["drawing"], "values" | "gaps">;

/** `1,200 steps`, or `3 runs, 3,600 steps, 3 steps without a value`. */
function nOf({ values, gaps }: Counts, groups: readonly ChartGroup[]): string {
  const runs = groups.reduce((sum, group) => sum + group.runs.length, 0);
  const gapText = gaps > 0 ? `, ${counted(gaps, "step")} without a value` : "";
  return `${runs > 1 ? `${counted(runs, "run")}, ` : ""}${counted(values, "step")}${gapText}`;
}

/** What the picture shows, for those who do not see it. */
function described(metric: MetricInfo, groups: readonly ChartGroup[], drawn: Drawn | null): string {
  const ends = (drawn?.drawing.series ?? []).slice(0, 6).flatMap(({ mean }, i) => {
    const last = mean.findLast((value) => !Number.isNaN(value));
    return last === undefined ? [] : [`${groups[i]?.label ?? ""} ends at ${withUnit(last, metric.unit)}`];
  });
  const more = groups.length > 6 ? `; and ${groups.length - 6} more` : "";
  return `${metric.name} by step: ${ends.length === 0 ? "nothing yet" : ends.join("; ")}${more}; n = ${nOf(drawn?.drawing ?? { values: 0, gaps: 0 }, groups)}`;
}

/** The unit `share` is per cent. */
function withUnit(value: number | null, unit: string): string {
  if (unit === "share") return formatPercent(value);
  return unit === "" || value === null || Number.isNaN(value) ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}
