import { counted, formatNumber } from "@laconic/core/text";
import { useMemo, useState } from "preact/hooks";
import type { ChangesOfStep, RunDetail, RunSummary } from "../../../src/protocol.ts";
import { Button, Key } from "../../parts/elements.tsx";
import { formatRange, panned, parseRange, within, zoomed, type Range } from "../../parts/range.ts";
import { SafeLine } from "../../parts/text.tsx";
import { Check, Choice, SearchField } from "../fields.tsx";
import { setQuery, useQuery } from "../navigation.ts";
import { Empty, Notices } from "../parts.tsx";
import { groupRuns, settingRows } from "../run/runs.ts";
import { useLoadedAll } from "../server.ts";
import { Chart, type ChartGroup } from "./chart.tsx";
import { evaluationMetrics, metricsMatching, orderedMetrics } from "./metrics.ts";

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
