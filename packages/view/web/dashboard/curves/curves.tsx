import { counted, formatNumber } from "@laconic/core/text";
import { useMemo, useState, useEffect, useRef } from "preact/hooks";
import type { ChangesOfStep, RunDetail, RunSummary, MetricInfo, MetricTable } from "../../../src/protocol.ts";
import { Button, Key } from "../../parts/elements.tsx";
import { LineChart, withUnit, type ChartLine } from "../../parts/line-chart.tsx";
import { formatRange, panned, parseRange, within, zoomed, type Range } from "../../parts/range.ts";
import { SafeLine } from "../../parts/text.tsx";
import { Check, Choice, SearchField } from "../fields.tsx";
import { setQuery, useQuery } from "../navigation.ts";
import { Empty, Notices, Problem } from "../parts.tsx";
import { groupRuns, settingRows } from "../run/runs.ts";
import { useLoadedAll } from "../server.ts";
import {
  evaluationMetrics,
  metricsMatching,
  orderedMetrics,
  isEvaluationMetric,
  meanSeries,
  sampledRows,
  smooth,
  type Series,
} from "./metrics.ts";

/** Runs whose metrics are listed; more runs add few names. */
const maxDetails = 12;
const maxLegend = 24;
const noChanges: readonly ChangesOfStep[] = [];

export function Curves({ runs }: { runs: readonly RunSummary[] }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const details = useLoadedAll<RunDetail>(runs.slice(0, maxDetails).map(({ id }) => `/runs/${encodeURIComponent(id)}`));
  // Changes of several runs could not be told apart.
  const changes = (runs.length === 1 && details[0]?.value?.changes) || noChanges;
  const lists = details.flatMap(({ value }) =>
    value === null ? [] : [value.metrics, ...(value.evaluations.length > 0 ? [evaluationMetrics] : [])],
  );
  const metrics = useMemo(() => orderedMetrics(lists), [lists.map((list) => list.length).join(), runs]);
  const matching = metricsMatching(metrics, useQuery("metric"));
  const by = useQuery("by") || (runs.length > 1 ? "seeds" : "run");
  const groups: readonly ChartGroup[] = useMemo(
    () => groupRuns(runs, by).map((group, index) => ({ ...group, index, runs: group.runs.map(({ id }) => id) })),
    [runs.map(({ id }) => id).join("\n"), by],
  );
  const shown = useMemo(() => groups.filter(({ key }) => !hidden.has(key)), [groups, hidden]);
  const smoothing = Math.min(0.99, Math.max(0, Number(useQuery("smooth")) || 0));
  const isLog = useQuery("log") === "1";
  const steps = [...details.flatMap(({ value }) => value?.summary ?? []), ...runs].map(({ step }) => step);
  const zoom = useZoom([0, Math.max(1, ...steps)]);
  const toggle = (key: string): void => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    setHidden(next);
  };
  return (
    <section aria-label="Curves">
      <Toolbar {...{ runs, by, smoothing }} />
      <ZoomBar zoom={zoom} />
      {groups.length > 1 && <Legend groups={groups} hidden={hidden} onToggle={toggle} />}
      {groups.some((group) => group.runs.length > 1) && (
        <p class="soft small">Lines are means of runs; their bands reach from the lowest to the highest run.</p>
      )}
      {changes.length > 0 && <ChangedSettings changes={changes} />}
      {metrics.length === 0 && details.every(({ loading }) => !loading) && (
        <Empty title="Nothing logged yet">
          <p>Curves appear here after the first step.</p>
        </Empty>
      )}
      {metrics.length > 0 && matching.length === 0 && (
        <Empty title="No metric has these words">
          <p>Take a word away: there are {counted(metrics.length, "metric")}.</p>
        </Empty>
      )}
      <div
        class="charts"
        role="group"
        aria-label="Charts: arrows move, plus and minus zoom, 0 shows all steps"
        tabIndex={0}
        onKeyDown={(event) => {
          const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : zoom.keys[event.key];
          if (move === undefined) return;
          event.preventDefault();
          move();
        }}
      >
        {matching.map((metric) => (
          <Chart
            key={metric.name}
            {...{ metric, smoothing, isLog, changes }}
            groups={shown}
            range={zoom.range}
            onSelect={zoom.select}
          />
        ))}
      </div>
    </section>
  );
}

interface Zoom {
  readonly range: Range;
  readonly isWhole: boolean;
  readonly keys: Readonly<Record<string, () => void>>;
  readonly select: (range: Range | null) => void;
}

/** Stored in the address. */
function useZoom(whole: Range): Zoom {
  const asked = parseRange(useQuery("x"));
  const part = asked && within(asked, whole);
  const range = part ?? whole;
  const select = (next: Range | null): void => setQuery({ x: formatRange(next && within(next, whole)) });
  const scale = (factor: number) => () => select(zoomed(range, factor, (range[0] + range[1]) / 2, whole));
  const pan = (by: number) => () => select(panned(range, by, whole));
  const keys = {
    ArrowLeft: pan(-0.2),
    ArrowRight: pan(0.2),
    "+": scale(0.6),
    "=": scale(0.6),
    "-": scale(1 / 0.6),
    "0": () => select(null),
  };
  return { range, isWhole: part === null, keys, select };
}

const zoomButtons = [
  ["Zoom in", "Zoom in", "+"],
  ["Zoom out", "Zoom out", "-"],
  ["Earlier steps", "←", "ArrowLeft"],
  ["Later steps", "→", "ArrowRight"],
  ["All steps", "All steps", "0"],
] as const;

function ZoomBar({ zoom: { range, isWhole, keys } }: { zoom: Zoom }) {
  return (
    <div class="toolbar" role="group" aria-label="Visible steps">
      {zoomButtons.map(([name, text, key]) => (
        <Button key={key} aria-label={name} disabled={isWhole && key !== "+"} onClick={() => keys[key]?.()}>
          {text}
        </Button>
      ))}
      <span class={isWhole ? "soft small by-pointer" : "soft small"}>
        {isWhole
          ? "Drag across a chart to look closer."
          : `Steps ${formatNumber(Math.round(range[0]))} to ${formatNumber(Math.round(range[1]))}`}
      </span>
    </div>
  );
}

interface ToolbarProps {
  readonly runs: readonly RunSummary[];
  readonly by: string;
  readonly smoothing: number;
}

function Toolbar({ runs, by, smoothing }: ToolbarProps) {
  const differing = useMemo(() => settingRows(runs).filter(({ isSame }) => !isSame), [runs]);
  return (
    <div class="toolbar">
      <SearchField label="Metric" query="metric" placeholder="all" />
      {runs.length > 1 && (
        <Choice
          label="One line for"
          query="by"
          value={by}
          options={[
            ["seeds", "all seeds of the same settings"],
            ["run", "each run"],
            ...differing.map(({ key }) => [key, `each ${key}`] as const),
          ]}
        />
      )}
      <label>
        <span>Smoothing {smoothing === 0 ? "off" : smoothing.toFixed(2)}</span>
        <input
          type="range"
          min="0"
          max="0.99"
          step="0.01"
          value={smoothing}
          onInput={({ currentTarget: { value } }) => setQuery({ smooth: value === "0" ? "" : value })}
        />
      </label>
      <Check label="Log scale" query="log" />
    </div>
  );
}

interface LegendProps {
  readonly groups: readonly ChartGroup[];
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
}

function Legend({ groups, hidden, onToggle }: LegendProps) {
  const [isLong, setLong] = useState(false);
  const listed = isLong ? groups : groups.slice(0, maxLegend);
  return (
    <ul class="line list legend" aria-label="Lines; press one to hide it">
      {listed.map(({ key, label, index }) => (
        <li key={key}>
          <button type="button" class="plain" aria-pressed={!hidden.has(key)} onClick={() => onToggle(key)}>
            <Key index={index} />
            <SafeLine text={label} max={60} />
          </button>
        </li>
      ))}
      {groups.length > listed.length && (
        <li>
          <button type="button" class="plain" onClick={() => setLong(true)}>
            and {groups.length - listed.length} more
          </button>
        </li>
      )}
    </ul>
  );
}

/** Charts show them as dashed lines. */
function ChangedSettings({ changes }: { changes: readonly ChangesOfStep[] }) {
  return (
    <section class="notice small" aria-label="Settings that changed">
      <p>Dashed lines stand where settings were changed:</p>
      <Notices all={changes}>
        {({ step, text }) => (
          <li key={step}>
            from step {step} on: <SafeLine text={text} max={300} />
          </li>
        )}
      </Notices>
    </section>
  );
}

interface ChartGroup {
  readonly key: string;
  readonly label: string;
  readonly runs: readonly string[];
  readonly index: number;
}

interface ChartProps {
  readonly metric: MetricInfo;
  readonly groups: readonly ChartGroup[];
  readonly range: Range;
  readonly smoothing: number;
  readonly isLog: boolean;
  /** Only for a single run. */
  readonly changes: readonly ChangesOfStep[];
  readonly onSelect: (range: Range) => void;
}

const height = 210;
/** About one per pixel. */
const maxPoints = 600;

/** Loaded and drawn only while visible. */
function Chart(props: ChartProps) {
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
  const part = isEvaluationMetric(metric.name) ? "" : `/columns?names=${encodeURIComponent(metric.name)}`;
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
  const values = [...series.values()].flatMap((each) => each.values);
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
      <p class="soft small n-of">
        {missing > 0
          ? `Reading ${counted(missing, "run")} …`
          : count === 0
            ? "No run has logged this yet."
            : `n = ${n}`}
      </p>
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
): ChartLine {
  // Smoothing precedes sampling, so zooming does not change values.
  const smoothed = runs.flatMap((run) => {
    const own = series.get(run);
    return own ? [{ steps: own.steps, values: smooth(own.values, smoothing) }] : [];
  });
  const [only] = smoothed;
  const mean = smoothed.length > 1 ? meanSeries(smoothed) : null;
  const whole = mean ?? only ?? { steps: [], values: [] };
  const rows = sampledRows(whole, range, maxPoints);
  const at = (column: readonly (number | null)[]): (number | null)[] => rows.map((row) => column[row] ?? null);
  return {
    key,
    label,
    index,
    steps: rows.map((row) => whole.steps[row] as number),
    values: at(whole.values),
    ...(mean && { band: { low: at(mean.low), high: at(mean.high) } }),
  };
}

function endsOf(lines: readonly ChartLine[], unit: string): string {
  const ends = lines.slice(0, 6).flatMap(({ label, values }) => {
    const last = values.findLast((value) => value !== null);
    return typeof last === "number" ? [`${label} ends at ${withUnit(last, unit)}`] : [];
  });
  const more = lines.length > 6 ? `; and ${formatNumber(lines.length - 6)} more` : "";
  return ends.length === 0 ? "nothing yet" : `${ends.join("; ")}${more}`;
}
