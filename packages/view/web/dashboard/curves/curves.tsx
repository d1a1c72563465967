import { useMemo, useState } from "preact/hooks";
import type { ChangesOfStep, RunDetail, RunSummary } from "../../../src/protocol.ts";
import { counted, formatNumber } from "@laconic/core/text";
import { useStore } from "../../parts/store.ts";
import { SafeLine } from "../../parts/text.tsx";
import { setQuery, useRoute } from "../navigation.ts";
import { Empty, hueOf } from "../parts.tsx";
import { one } from "../route.ts";
import { SearchField } from "../search-field.tsx";
import { groupRuns, type GroupBy } from "../run/groups.ts";
import { settingRows } from "../run/differences.ts";
import { useLoadedAll } from "../server.ts";
import { ChangedSettings } from "./changed-settings.tsx";
import { Chart, type ChartGroup } from "./chart.tsx";
import { evaluationMetrics } from "./evaluation-columns.ts";
import { columnFaults } from "./column-client.ts";
import { metricsMatching, orderedMetrics } from "./metric-order.ts";
import { formatRange, panned, parseRange, within, zoomed, type Range } from "./range.ts";

/** Runs whose metrics are asked for to know what there is to draw: more would name few others. */
const askedForMetrics = 12;
const shownInLegend = 24;
const none: readonly ChangesOfStep[] = [];

/** A chart for every metric, all with the same steps across. */
export function Curves({ runs }: { readonly runs: readonly RunSummary[] }) {
  const route = useRoute();
  const [extents, setExtents] = useState<Range | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const details = useLoadedAll<RunDetail>(
    runs.slice(0, askedForMetrics).map(({ id }) => `/runs/${encodeURIComponent(id)}`),
  );
  // Of several runs nobody could tell whose they are.
  const [only] = details;
  const changes = (runs.length === 1 && only?.value?.changes) || none;
  const known = details.flatMap(({ value }) =>
    value === null ? [] : [value.metrics, ...(value.evaluations.length > 0 ? [evaluationMetrics] : [])],
  );
  const metrics = useMemo(() => orderedMetrics(known), [known.map((list) => list.length).join(), runs]);
  const by: GroupBy = one(route, "by") || (runs.length > 1 ? "seeds" : "run");
  const groups: readonly ChartGroup[] = useMemo(
    () =>
      groupRuns(runs, by).map(({ key, label, runs: own }, index) => ({
        key,
        label,
        index,
        runs: own.map(({ id }) => id),
      })),
    [runs.map(({ id }) => id).join("\n"), by],
  );
  const shown = useMemo(() => groups.filter(({ key }) => !hidden.has(key)), [groups, hidden]);
  const smoothing = Math.min(0.99, Math.max(0, Number(one(route, "smooth")) || 0));
  const asked = parseRange(one(route, "x"));
  const range = asked && extents ? within(asked, extents) : asked;
  const matching = metricsMatching(metrics, one(route, "metric"));
  const whole = extents;
  const onExtent = (extent: Range): void => {
    if (whole === null || extent[0] < whole[0] || extent[1] > whole[1])
      setExtents([Math.min(extent[0], whole?.[0] ?? Infinity), Math.max(extent[1], whole?.[1] ?? -Infinity)]);
  };
  const setRange = (next: Range | null): void => setQuery({ x: formatRange(next) });
  const move = (change: (now: Range, all: Range) => Range | null): void => {
    if (whole !== null) setRange(change(range ?? whole, whole));
  };
  const keyed = (event: KeyboardEvent): void => {
    const actions: Record<string, () => void> = {
      ArrowLeft: () => move((now, all) => panned(now, -0.2, all)),
      ArrowRight: () => move((now, all) => panned(now, 0.2, all)),
      "+": () => move((now, all) => zoomed(now, 0.6, (now[0] + now[1]) / 2, all)),
      "=": () => move((now, all) => zoomed(now, 0.6, (now[0] + now[1]) / 2, all)),
      "-": () => move((now, all) => zoomed(now, 1 / 0.6, (now[0] + now[1]) / 2, all)),
      "0": () => setRange(null),
    };
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };
  return (
    <section aria-label="Curves">
      <Toolbar runs={runs} by={by} smoothing={smoothing} />
      <div class="toolbar" role="group" aria-label="Visible steps">
        <button
          type="button"
          class="button"
          onClick={() => move((now, all) => zoomed(now, 0.6, (now[0] + now[1]) / 2, all))}
        >
          Zoom in
        </button>
        <button
          type="button"
          class="button"
          disabled={range === null}
          onClick={() => move((now, all) => zoomed(now, 1 / 0.6, (now[0] + now[1]) / 2, all))}
        >
          Zoom out
        </button>
        <button
          type="button"
          class="button"
          disabled={range === null}
          aria-label="Earlier steps"
          onClick={() => move((now, all) => panned(now, -0.2, all))}
        >
          ←
        </button>
        <button
          type="button"
          class="button"
          disabled={range === null}
          aria-label="Later steps"
          onClick={() => move((now, all) => panned(now, 0.2, all))}
        >
          →
        </button>
        <button type="button" class="button" disabled={range === null} onClick={() => setRange(null)}>
          All steps
        </button>
        <span class={range === null ? "soft small by-pointer" : "soft small"}>
          {range === null
            ? "Drag across a chart to look closer."
            : `Steps ${formatNumber(Math.round(range[0]))} to ${formatNumber(Math.round(range[1]))}`}
        </span>
      </div>
      {groups.length > 1 && (
        <Legend
          groups={groups}
          hidden={hidden}
          onToggle={(key) => {
            const next = new Set(hidden);
            if (!next.delete(key)) next.add(key);
            setHidden(next);
          }}
        />
      )}
      {groups.some(({ runs: own }) => own.length > 1) && (
        <p class="soft small">Lines are means of runs; their bands reach from the lowest to the highest run.</p>
      )}
      <ChangedSettings changes={changes} />
      <Faults runs={runs} />
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
        onKeyDown={keyed}
        onWheel={(event) => {
          if (!event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
          if (range === null) return;
          event.preventDefault();
          move((now, all) => panned(now, Math.sign(event.deltaX || event.deltaY) * 0.08, all));
        }}
      >
        {matching.map((metric) => (
          <Chart
            key={metric.name}
            metric={metric}
            groups={shown}
            range={range}
            whole={whole}
            smoothing={smoothing}
            isLog={one(route, "log") === "1"}
            changes={changes}
            onSelect={(chosen) => setRange(whole === null ? chosen : within(chosen, whole))}
            onExtent={onExtent}
          />
        ))}
      </div>
    </section>
  );
}

function Toolbar({
  runs,
  by,
  smoothing,
}: {
  readonly runs: readonly RunSummary[];
  readonly by: GroupBy;
  readonly smoothing: number;
}) {
  const route = useRoute();
  const differing = useMemo(() => settingRows(runs).filter(({ isSame }) => !isSame), [runs]);
  return (
    <div class="toolbar">
      <SearchField label="Metric" query="metric" placeholder="all" />
      {runs.length > 1 && (
        <label>
          <span>One line for</span>
          <select class="select" value={by} onChange={(event) => setQuery({ by: event.currentTarget.value })}>
            <option value="seeds">all seeds of the same settings</option>
            <option value="run">each run</option>
            {differing.map(({ key }) => (
              <option key={key} value={key}>
                each {key}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        <span>Smoothing {smoothing === 0 ? "off" : smoothing.toFixed(2)}</span>
        <input
          type="range"
          min="0"
          max="0.99"
          step="0.01"
          value={smoothing}
          onInput={(event) => setQuery({ smooth: event.currentTarget.value === "0" ? "" : event.currentTarget.value })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={one(route, "log") === "1"}
          onChange={(event) => setQuery({ log: event.currentTarget.checked ? "1" : "" })}
        />
        <span>Log scale</span>
      </label>
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
  const listed = isLong ? groups : groups.slice(0, shownInLegend);
  return (
    <ul class="legend" aria-label="Lines; press one to hide it">
      {listed.map(({ key, label, index }) => (
        <li key={key}>
          <button type="button" aria-pressed={!hidden.has(key)} onClick={() => onToggle(key)}>
            <i class={`key ${hueOf(index)} dash${Math.floor(index / 8) % 4}`} />
            <SafeLine text={label} max={60} />
          </button>
        </li>
      ))}
      {groups.length > listed.length && (
        <li>
          <button type="button" onClick={() => setLong(true)}>
            and {groups.length - listed.length} more
          </button>
        </li>
      )}
    </ul>
  );
}

/** Runs whose columns could not be read. */
function Faults({ runs }: { readonly runs: readonly RunSummary[] }) {
  const faults = useStore(columnFaults);
  const own = runs.filter(({ id }) => faults.has(id));
  if (own.length === 0) return null;
  return (
    <p class="notice warn" role="status">
      Not drawn:{" "}
      {own
        .slice(0, 5)
        .map(({ id, name }) => `${name} (${faults.get(id) ?? ""})`)
        .join("; ")}
      {own.length > 5 && ` and ${own.length - 5} more`}. Change the smoothing or the zoom to ask again.
    </p>
  );
}
