import { counted, formatNumber } from "@laconic/core/text";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ChangesOfStep, MetricInfo, MetricTable, RunDetail } from "../../../src/protocol.ts";
import { ChartFiles, type CsvRow } from "../../parts/chart-files.tsx";
import { LineChart, withUnit, type ChartLine, type Range } from "../../parts/line-chart.tsx";
import { SafeLine } from "../../parts/text.tsx";
import { Problem } from "../parts.tsx";
import { useLoadedAll } from "../server.ts";
import { evaluationMetrics, meanSeries, sampledRows, smooth, type Series } from "./metrics.ts";
import { PinButton } from "./sections.tsx";

export interface ChartGroup extends Pick<ChartLine, "key" | "label" | "index"> {
  readonly runs: readonly string[];
}

interface ChartProps {
  readonly metric: MetricInfo;
  readonly groups: readonly ChartGroup[];
  readonly range: Range;
  readonly smoothing: number;
  readonly isLog: boolean;
  readonly changes: readonly ChangesOfStep[];
  readonly onSelect: (range: Range) => void;
}

const height = 210;
/** About one per pixel. */
const maxPoints = 600;

/** Drawn only while visible. */
export function Chart(props: ChartProps) {
  const { metric } = props;
  const frame = useRef<HTMLElement>(null);
  const [isSeen, setSeen] = useState(false);
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
        <PinButton metric={metric.name} />
        <strong>
          <SafeLine text={metric.name} />
        </strong>
        {metric.unit !== "" && (
          <span class="soft small"> {metric.unit === "share" ? "percent" : <SafeLine text={metric.unit} />}</span>
        )}
        {metric.meaning !== null && (
          <span class="meaning soft small">
            <SafeLine text={metric.meaning} max={400} />
          </span>
        )}
      </figcaption>
      {isSeen ? <Loaded {...props} /> : <div class="line-chart" style={{ height: `${height}px` }} />}
    </figure>
  );
}

function Loaded({ metric, groups, range, smoothing, isLog, changes, onSelect }: ChartProps) {
  const runs = groups.flatMap((group) => group.runs);
  const isEvaluated = evaluationMetrics.some(({ name }) => name === metric.name);
  const part = isEvaluated ? "" : `/columns?names=${encodeURIComponent(metric.name)}`;
  const loaded = useLoadedAll<MetricTable | RunDetail>(runs.map((run) => `/runs/${encodeURIComponent(run)}${part}`));
  const series = new Map(
    runs.flatMap((run, i) => {
      const value = loaded[i]?.value;
      return value ? [[run, seriesIn(value, metric.name)] as const] : [];
    }),
  );
  const lines = useMemo(
    () => groups.map((group) => lineOf(group, series, range, smoothing)),
    [loaded.map(({ value }) => value), groups, range.join(), smoothing].flat(),
  );
  const csv = (): CsvRow[] => csvRows(groups.map((group) => lineOf(group, series, range, smoothing, Infinity)));
  const values = [...series.values()].flatMap((item) => item.values);
  const count = values.filter((value) => value !== null).length;
  const missing = loaded.filter(({ loading, value }) => loading && value === null).length;
  const failure = loaded.find(({ error }) => error !== null)?.error;
  const gaps = values.length - count;
  const gapText = gaps > 0 ? `, ${counted(gaps, "step")} without a value` : "";
  const n = `${runs.length > 1 ? `${counted(runs.length, "run")}, ` : ""}${counted(count, "step")}${gapText}`;
  return (
    <>
      <LineChart
        {...{ lines, range, height }}
        unit={metric.unit}
        label={`${metric.name} by step: ${endsOf(lines, metric.unit)}; n = ${n}`}
        {...{ isLog, changes, onSelect }}
      />
      <div class="line chart-foot">
        <span class="soft small n-of">
          {missing > 0 ? `Loading ${counted(missing, "run")} …` : count === 0 ? "No values yet" : `n = ${n}`}
        </span>
        <span class="last">
          <ChartFiles name={metric.name} rows={csv} />
        </span>
      </div>
      {failure && <Problem error={failure} />}
    </>
  );
}

function seriesIn(value: MetricTable | RunDetail, metric: string): Series {
  if ("columns" in value) return { steps: value.steps, values: value.columns[metric] ?? [] };
  const { evaluations } = value;
  return {
    steps: evaluations.map(({ step }) => step),
    values: evaluations.map((row) => (metric.endsWith("accuracy") ? row.accuracy : row.tokens)),
  };
}

function lineOf(
  { key, label, index, runs }: ChartGroup,
  series: ReadonlyMap<string, Series>,
  range: Range,
  smoothing: number,
  points = maxPoints,
): ChartLine {
  // Smoothing precedes sampling, so zooming does not change values.
  const smoothed = runs.flatMap((run) => {
    const data = series.get(run);
    return data ? [{ steps: data.steps, values: smooth(data.values, smoothing) }] : [];
  });
  const [only] = smoothed;
  const mean = smoothed.length > 1 ? meanSeries(smoothed) : null;
  const whole = mean ?? only ?? { steps: [], values: [] };
  const rows = sampledRows(whole, range, points);
  const sampled = (column: readonly (number | null)[]): (number | null)[] => rows.map((row) => column[row] ?? null);
  return {
    key,
    label,
    index,
    steps: rows.map((row) => whole.steps[row] as number),
    values: sampled(whole.values),
    ...(mean && { band: { low: sampled(mean.low), high: sampled(mean.high) } }),
  };
}

function csvRows(lines: readonly ChartLine[]): CsvRow[] {
  const columns = lines.flatMap(({ label, steps, values, band }) => {
    const named = band ? { "": values, " lowest": band.low, " highest": band.high } : { "": values };
    return Object.entries(named).map(([name, column]) => ({
      name: `${label}${name}`,
      byStep: new Map(steps.map((step, row) => [step, column[row] ?? null])),
    }));
  });
  const steps = [...new Set(lines.flatMap((line) => line.steps))].toSorted((a, b) => a - b);
  const rows = steps.map((step): CsvRow => [step, ...columns.map(({ byStep }) => byStep.get(step) ?? null)]);
  return [["step", ...columns.map(({ name }) => name)], ...rows];
}

function endsOf(lines: readonly ChartLine[], unit: string): string {
  const ends = lines.slice(0, 6).flatMap(({ label, values }) => {
    const last = values.findLast((value) => value !== null);
    return typeof last === "number" ? [`${label} ends at ${withUnit(last, unit)}`] : [];
  });
  const more = lines.length > 6 ? `; and ${formatNumber(lines.length - 6)} more` : "";
  return ends.length === 0 ? "no values yet" : `${ends.join("; ")}${more}`;
}
