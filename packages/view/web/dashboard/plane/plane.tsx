import { useMemo } from "preact/hooks";
import { seriesColour } from "@laconic/core/design";
import { frontierOf } from "@laconic/evaluation";
import { formatColumn, formatNumber } from "@laconic/core/text";
import { planeDrawing, type PlaneChart } from "../../../src/charts/plane.ts";
import { problemsText } from "../../../src/charts/run-plane.ts";
import type { RunEvaluation, RunDetail, RunSummary } from "../../../src/protocol.ts";
import { ChartFiles, type CsvRow } from "../../parts/chart-files.tsx";
import { Drawn, useWidth } from "../../parts/drawn.tsx";
import { Key, Table, type Column } from "../../parts/elements.tsx";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { Check } from "../fields.tsx";
import { useQuery } from "../navigation.ts";
import { Empty, Interval } from "../parts.tsx";
import { groupRuns, taskKey } from "../run/runs.ts";
import { useLoadedAll } from "../server.ts";

/** Max runs with a full evaluation path; with more runs, only ends are drawn. */
const maxPaths = 24;

interface PlaneRun {
  readonly run: RunSummary;
  readonly index: number;
  readonly path: readonly RunEvaluation[];
  readonly tokens: number;
  readonly accuracy: number;
  readonly end: RunEvaluation;
}

export function PlanePanel({ chart, ratio = 0.6 }: { chart: PlaneChart; ratio?: number }) {
  const [frame, width] = useWidth();
  return (
    <div class="panel plane" ref={frame}>
      {width > 0 && <Drawn drawing={planeDrawing(chart, width, Math.max(260, Math.min(460, width * ratio)))} />}
      <ChartFiles name="accuracy-and-tokens" rows={() => csvRows(chart)} />
    </div>
  );
}

function csvRows({ points, lines }: PlaneChart): CsvRow[] {
  const path = lines.flatMap(({ look, positions }, i) =>
    look === "faint" ? positions.map(({ tokens, accuracy }): CsvRow => [`path ${i + 1}`, tokens, accuracy]) : [],
  );
  const named = points.map(({ name, tokens, accuracy, interval }): CsvRow => [
    name,
    tokens,
    accuracy,
    ...(interval ?? [null, null]),
  ]);
  return [["point", "tokens per episode", "accuracy", "interval low", "interval high"], ...named, ...path];
}

export function Plane({ runs }: { runs: readonly RunSummary[] }) {
  const isLog = useQuery("logx") === "1";
  const by = useQuery("by") || "seeds";
  const details = useLoadedAll<RunDetail>(
    runs.length <= maxPaths ? runs.map(({ id }) => `/runs/${encodeURIComponent(id)}`) : [],
  );
  const groups = useMemo(() => groupRuns(runs, by), [runs, by]);
  const colours = new Map(groups.flatMap(({ runs: members }, index) => members.map(({ id }) => [id, index] as const)));
  const points = runs.flatMap((run, i): PlaneRun[] => {
    const path = details[i]?.value?.evaluations ?? [run.before, run.after].flatMap((row) => row ?? []);
    const end = path.at(-1);
    if (end === undefined) return [];
    return [{ run, index: colours.get(run.id) ?? i, path, end, tokens: end.tokens, accuracy: end.accuracy }];
  });
  if (points.length === 0)
    return (
      <Empty title="No evaluations yet">
        <p>Points appear after a run's first evaluation on the validation set.</p>
      </Empty>
    );
  const tasks = [...new Set(points.map(({ run }) => taskKey(run.settings)))];
  const frontiers = tasks.map((task) => frontierOf(points.filter(({ run }) => taskKey(run.settings) === task)));
  const leading = new Set(frontiers.flat());
  return (
    <section aria-label="Accuracy and tokens">
      <p>
        Each point is a run on the validation set, with its 95 % interval. Faint lines connect earlier evaluations.
        Dashed lines are Pareto frontiers{tasks.length > 1 && `, one for each of ${tasks.length} tasks`}.
      </p>
      <div class="toolbar">
        <Check label="Log scale for tokens" query="logx" />
      </div>
      {groups.length > 1 && groups.length <= 24 && (
        <ul class="line list legend" aria-label="Colours">
          {groups.map(({ key, label }, index) => (
            <li key={key}>
              <Key index={index} kind="dot" /> <SafeLine text={label} max={60} />
            </li>
          ))}
        </ul>
      )}
      <PlanePanel chart={chartOf(points, frontiers, isLog)} />
      <PointTable points={points} leading={leading} />
    </section>
  );
}

function chartOf(points: readonly PlaneRun[], frontiers: readonly (readonly PlaneRun[])[], isLog: boolean): PlaneChart {
  return {
    title: `Accuracy over tokens of ${points.length} runs; values in the table below`,
    n: problemsText(points.map(({ end }) => end)),
    points: points.map(({ run, index, end }) => ({
      ...end,
      color: seriesColour(index),
      name: visibleLine(run.name, 80),
    })),
    lines: [
      ...frontiers.map((frontier) => ({ positions: frontier, color: 0, look: "frontier" as const })),
      ...points.map(({ path, index }) => ({ positions: path, color: seriesColour(index), look: "faint" as const })),
    ],
    budget: null,
    isLog,
    legend: [],
  };
}

function PointTable({ points, leading }: { points: readonly PlaneRun[]; leading: ReadonlySet<PlaneRun> }) {
  const rows = points.toSorted((a, b) => a.tokens - b.tokens);
  const tokens = formatColumn(rows.map((point) => point.tokens));
  const columns: readonly Column<PlaneRun>[] = [
    [
      "Run",
      ({ index, run }) => (
        <>
          <Key index={index} kind="dot" /> <SafeLine text={run.name} />
        </>
      ),
      "name",
    ],
    ["Task", ({ run }) => <SafeLine text={run.task ?? "–"} max={60} />],
    ["Accuracy (95 % interval)", ({ accuracy, end }) => <Interval value={accuracy} interval={end.interval} />],
    ["Problems", ({ end }) => formatNumber(end.problems), "number"],
    ["Tokens per episode", (_, i) => tokens[i], "number"],
    ["On the Pareto frontier", (point) => (leading.has(point) ? "yes" : <span class="soft">no</span>)],
  ];
  return <Table label="Points" {...{ columns, rows }} />;
}
