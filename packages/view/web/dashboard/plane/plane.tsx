import { useMemo } from "preact/hooks";
import type { RunEvaluation, RunDetail, RunSummary } from "../../../src/protocol.ts";
import { formatColumn, formatNumber, formatPercent } from "@laconic/core/text";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { setQuery, useRoute } from "../navigation.ts";
import { Empty, hueOf, Interval } from "../parts.tsx";
import { one } from "../route.ts";
import { groupRuns } from "../run/groups.ts";
import { useLoadedAll } from "../server.ts";
import { frontierOf, taskKey } from "./frontier.ts";
import { PlaneFrame, wayPath } from "./plane-frame.tsx";

/** Runs whose way from the first to the last evaluation is drawn; of more, only their ends. */
const waysAtMost = 24;

interface PlaneRun {
  readonly run: RunSummary;
  readonly index: number;
  readonly way: readonly RunEvaluation[];
  readonly tokens: number;
  readonly accuracy: number;
  readonly end: RunEvaluation;
}

/** Validation accuracy over tokens: up and to the left is better. */
export function Plane({ runs }: { readonly runs: readonly RunSummary[] }) {
  const route = useRoute();
  const isLog = one(route, "logx") === "1";
  const details = useLoadedAll<RunDetail>(
    runs.length <= waysAtMost ? runs.map(({ id }) => `/runs/${encodeURIComponent(id)}`) : [],
  );
  const groups = useMemo(() => groupRuns(runs, one(route, "by") || "seeds"), [runs, one(route, "by")]);
  const colours = new Map(groups.flatMap(({ runs: own }, index) => own.map(({ id }) => [id, index] as const)));
  const points = runs.flatMap((run, i): PlaneRun[] => {
    const way = details[i]?.value?.evaluations ?? [run.before, run.after].flatMap((row) => (row === null ? [] : [row]));
    const end = way.at(-1);
    return end === undefined
      ? []
      : [{ run, index: colours.get(run.id) ?? i, way, end, tokens: end.tokens, accuracy: end.accuracy }];
  });
  if (points.length === 0)
    return (
      <Empty title="No evaluation yet">
        <p>A point appears here with a run's first evaluation on validation problems, before its first step.</p>
      </Empty>
    );
  const tasks = [...new Set(points.map(({ run }) => taskKey(run.settings)))];
  const frontiers = tasks.map((task) => frontierOf(points.filter(({ run }) => taskKey(run.settings) === task)));
  const leading = new Set(frontiers.flat());
  const rows = points.toSorted((a, b) => a.tokens - b.tokens);
  const tokens = formatColumn(rows.map((point) => point.tokens));
  return (
    <section aria-label="Accuracy and tokens">
      <p>
        Each point is a team on validation problems, with its 95 % interval. The faint line behind it is its way from
        the first evaluation. Dashed line: the best accuracy at each token cost (Pareto frontier)
        {tasks.length > 1 && `, one for each of ${tasks.length} tasks: accuracies of different tasks are not compared`}.
      </p>
      <div class="toolbar">
        <label class="check">
          <input
            type="checkbox"
            checked={isLog}
            onChange={(event) => setQuery({ logx: event.currentTarget.checked ? "1" : "" })}
          />
          <span>Log scale of tokens</span>
        </label>
      </div>
      {groups.length > 1 && groups.length <= 24 && (
        <ul class="legend" aria-label="Colours">
          {groups.map(({ key, label }, index) => (
            <li key={key}>
              <i class={`key dot ${hueOf(index)}`} /> <SafeLine text={label} max={60} />
            </li>
          ))}
        </ul>
      )}
      <PlanePicture points={points} frontiers={frontiers} isLog={isLog} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Points as a table">
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Task</th>
              <th scope="col">Accuracy (95 % interval)</th>
              <th scope="col">Problems</th>
              <th scope="col">Tokens per episode</th>
              <th scope="col">On the frontier</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((point, i) => (
              <tr key={point.run.id}>
                <th scope="row">
                  <i class={`key dot ${hueOf(point.index)}`} /> <SafeLine text={point.run.name} />
                </th>
                <td data-label="Task">{point.run.task === null ? "–" : <SafeLine text={point.run.task} max={60} />}</td>
                <td data-label="Accuracy (95 % interval)">
                  <Interval value={point.accuracy} interval={point.end.interval} />
                </td>
                <td class="number" data-label="Problems">
                  {formatNumber(point.end.problems)}
                </td>
                <td class="number" data-label="Tokens per episode">
                  {tokens[i]}
                </td>
                <td data-label="On the frontier">{leading.has(point) ? "yes" : <span class="soft">no</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface PictureProps {
  readonly points: readonly PlaneRun[];
  /** One for each task. */
  readonly frontiers: readonly (readonly PlaneRun[])[];
  readonly isLog: boolean;
}

function PlanePicture({ points, frontiers, isLog }: PictureProps) {
  const counts = points.map(({ end }) => end.problems);
  return (
    <PlaneFrame
      rows={points.flatMap(({ way }) => way)}
      isLog={isLog}
      label={`Accuracy over tokens of ${points.length} runs; the table below has the numbers`}
      n={[Math.min(...counts), Math.max(...counts)]}
    >
      {({ x, y, right }) => (
        <>
          {frontiers.map((frontier, index) => (
            <path
              key={index}
              class="frontier"
              d={stairs(
                frontier.map((point) => [x(point.tokens), y(point.accuracy)]),
                right,
              )}
            />
          ))}
          {points.map(({ run, index, way }) => (
            <path key={run.id} class={`way ${hueOf(index)}`} d={wayPath(way, { x, y })} />
          ))}
          {points.map(({ run, index, end }) => (
            <g key={run.id} class={`team ${hueOf(index)}`}>
              <title>{`${visibleLine(run.name, 80)}: ${formatPercent(end.accuracy)} at ${formatNumber(end.tokens)} tokens`}</title>
              {end.interval && (
                <line x1={x(end.tokens)} x2={x(end.tokens)} y1={y(end.interval[0])} y2={y(end.interval[1])} />
              )}
              <circle cx={x(end.tokens)} cy={y(end.accuracy)} r={5} />
            </g>
          ))}
        </>
      )}
    </PlaneFrame>
  );
}

function stairs(points: readonly (readonly [number, number])[], end: number): string {
  const [first] = points;
  if (first === undefined) return "";
  return `M${first[0].toFixed(1)},${first[1].toFixed(1)}${points
    .slice(1)
    .map(([px, py]) => `H${px.toFixed(1)}V${py.toFixed(1)}`)
    .join("")}H${end}`;
}
