import { counted } from "@laconic/core/text";
import { useMemo, useState } from "preact/hooks";
import type { ChangesOfStep, RunDetail, RunSummary } from "../../../src/protocol.ts";
import { Button, Key } from "../../parts/elements.tsx";
import type { Range } from "../../parts/line-chart.tsx";
import { SafeLine } from "../../parts/text.tsx";
import { Check, Choice, SearchField, StepField } from "../fields.tsx";
import { setQuery, useQuery } from "../navigation.ts";
import { Empty, Notices } from "../parts.tsx";
import { groupRuns, settingRows } from "../run/runs.ts";
import { useLoadedAll } from "../server.ts";
import { Chart, type ChartGroup } from "./chart.tsx";
import { evaluationMetrics, metricsMatching, orderedMetrics } from "./metrics.ts";
import { Sections } from "./sections.tsx";

/** More runs add few names. */
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
  const range = useVisibleSteps([0, Math.max(1, ...steps)]);
  const toggle = (key: string): void => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    setHidden(next);
  };
  return (
    <section aria-label="Curves">
      <Toolbar {...{ runs, by, smoothing }} />
      {groups.length > 1 && <Legend groups={groups} hidden={hidden} onToggle={toggle} />}
      {groups.some((group) => group.runs.length > 1) && (
        <p class="soft small">Lines show means of runs. Bands show the lowest and the highest run.</p>
      )}
      {changes.length > 0 && <ChangedSettings changes={changes} />}
      {metrics.length === 0 && details.every(({ loading }) => !loading) && (
        <Empty title="No metrics yet">
          <p>Curves appear after the first step.</p>
        </Empty>
      )}
      {metrics.length > 0 && matching.length === 0 && (
        <Empty title="No metric matches">
          <p>Use fewer search words. There are {counted(metrics.length, "metric")}.</p>
        </Empty>
      )}
      <Sections metrics={matching}>
        {(metric) => (
          <Chart
            key={metric.name}
            {...{ metric, smoothing, isLog, changes, range }}
            groups={shown}
            onSelect={showSteps}
          />
        )}
      </Sections>
    </section>
  );
}

function useVisibleSteps(whole: Range): Range {
  const [from, to] = [useQuery("fromStep"), useQuery("toStep")];
  const low = Math.max(whole[0], Number(from) || 0);
  const high = to === "" ? whole[1] : Math.min(whole[1], Number(to) || whole[1]);
  return high > low ? [low, high] : whole;
}

const showSteps = ([low, high]: Range): void =>
  setQuery({ fromStep: String(Math.floor(low)), toStep: String(Math.ceil(high)) });

function Toolbar({ runs, by, smoothing }: { runs: readonly RunSummary[]; by: string; smoothing: number }) {
  const differing = useMemo(() => settingRows(runs).filter(({ isSame }) => !isSame), [runs]);
  return (
    <div class="toolbar">
      <SearchField label="Metric" query="metric" placeholder="all" />
      {runs.length > 1 && (
        <Choice
          label="Lines by"
          query="by"
          value={by}
          options={[["seeds", "settings, mean of seeds"], "run", ...differing.map(({ key }) => key)]}
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
      <StepField label="From step" query="fromStep" />
      <StepField label="To step" query="toStep" />
      <Button onClick={() => setQuery({ fromStep: "", toStep: "" })}>All steps</Button>
      <span class="soft small">Drag across a chart to zoom in.</span>
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
    <ul class="line list legend" aria-label="Lines; press one to hide or show it">
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

function ChangedSettings({ changes }: { changes: readonly ChangesOfStep[] }) {
  return (
    <section class="notice small" aria-label="Changed settings">
      <p>Dashed lines mark changed settings:</p>
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
