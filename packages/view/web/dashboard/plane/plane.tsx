import { useMemo } from "preact/hooks";
import type { RunEvaluation, RunDetail, RunSummary } from "../../../src/protocol.ts";
import { formatNumber, formatPercent } from "../../parts/format.ts";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { ticksOf } from "../../parts/ticks.ts";
import { useWidth } from "../../parts/use-width.ts";
import { setQuery, useRoute } from "../navigation.ts";
import { Empty, hueOf, Interval } from "../parts.tsx";
import { one } from "../route.ts";
import { groupRuns } from "../run/groups.ts";
import { useLoadedAll } from "../server.ts";
import { frontierOf } from "./frontier.ts";

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

/** Held-out accuracy over tokens: up and to the left is better. */
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
        <p>A point appears here with a run's first evaluation on held-out problems, before its first step.</p>
      </Empty>
    );
  const frontier = frontierOf(points);
  return (
    <section aria-label="Accuracy and tokens">
      <p>
        Each point is a team on held-out problems, with its 95 % interval. The faint line behind it is its way from the
        first evaluation. Dashed line: the best accuracy seen at each token cost (Pareto frontier).
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
      <PlanePicture points={points} frontier={frontier} isLog={isLog} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Points as a table">
        <table>
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Accuracy (95 % interval)</th>
              <th scope="col">Problems</th>
              <th scope="col">Tokens per episode</th>
              <th scope="col">On the frontier</th>
            </tr>
          </thead>
          <tbody>
            {points
              .toSorted((a, b) => a.tokens - b.tokens)
              .map((point) => (
                <tr key={point.run.id}>
                  <th scope="row">
                    <i class={`key dot ${hueOf(point.index)}`} /> <SafeLine text={point.run.name} />
                  </th>
                  <td>
                    <Interval value={point.accuracy} interval={point.end.interval} />
                  </td>
                  <td class="number">{formatNumber(point.end.problems)}</td>
                  <td class="number">{formatNumber(point.tokens)}</td>
                  <td>{frontier.includes(point) ? "yes" : <span class="soft">no</span>}</td>
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
  readonly frontier: readonly PlaneRun[];
  readonly isLog: boolean;
}

function PlanePicture({ points, frontier, isLog }: PictureProps) {
  const [frame, width] = useWidth();
  const height = Math.max(260, Math.min(460, width * 0.6));
  const [left, right, top, bottom] = [56, 16, 14, 44];
  const rows = points.flatMap(({ way }) => way);
  const tokens = rows.map((row) => row.tokens);
  const [least, max] = [Math.min(...tokens), Math.max(...tokens)];
  const room = (max - least) * 0.06 || 1;
  const logLow = Math.max(0.1, Math.min(...tokens.filter((each) => each > 0)) / 1.3);
  const [low, high] = isLog ? [logLow, Math.max(logLow * 2, max * 1.3)] : [Math.max(0, least - room), max + room];
  const bounds = rows.flatMap(({ interval }) => interval);
  const [bottomValue, topValue] = [Math.max(0, Math.min(...bounds) - 0.03), Math.min(1, Math.max(...bounds) + 0.03)];
  const scaled = (value: number): number =>
    isLog ? Math.log(Math.max(low, value) / low) / Math.log(high / low) : (value - low) / (high - low);
  const x = (value: number): number => left + scaled(value) * (width - left - right);
  const y = (value: number): number =>
    height - bottom - ((value - bottomValue) / (topValue - bottomValue || 1)) * (height - top - bottom);
  const across = Math.max(2, Math.floor((width - left - right) / 90));
  const xTicks = isLog ? powersWithin(low, high) : ticksOf(low, high, across);
  return (
    <div class="panel plane" ref={frame}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={`Accuracy over tokens of ${points.length} runs; the table below has the numbers`}
        >
          {ticksOf(bottomValue, topValue, 6).map((value) => (
            <g key={value}>
              <line class="grid" x1={left} x2={width - right} y1={y(value)} y2={y(value)} />
              <text class="tick" x={left - 8} y={y(value) + 4} text-anchor="end">
                {formatPercent(value).replace(".0", "")}
              </text>
            </g>
          ))}
          {xTicks.map((value) => (
            <g key={value}>
              <line class="grid" x1={x(value)} x2={x(value)} y1={top} y2={height - bottom} />
              <text class="tick" x={x(value)} y={height - bottom + 18} text-anchor="middle">
                {formatNumber(value)}
              </text>
            </g>
          ))}
          <text class="tick" x={width - right} y={height - 6} text-anchor="end">
            tokens per episode
          </text>
          <text class="tick" x={4} y={height - 6}>
            ↑ held-out accuracy
          </text>
          <path
            class="frontier"
            d={stairs(
              frontier.map((point) => [x(point.tokens), y(point.accuracy)]),
              width - right,
            )}
          />
          {points.map(({ run, index, way }) => (
            <path
              key={run.id}
              class={`way ${hueOf(index)}`}
              d={way
                .map((row, i) => `${i === 0 ? "M" : "L"}${x(row.tokens).toFixed(1)},${y(row.accuracy).toFixed(1)}`)
                .join("")}
            />
          ))}
          {points.map(({ run, index, end }) => (
            <g key={run.id} class={`team ${hueOf(index)}`}>
              <title>{`${visibleLine(run.name, 80)}: ${formatPercent(end.accuracy)} at ${formatNumber(end.tokens)} tokens`}</title>
              <line x1={x(end.tokens)} x2={x(end.tokens)} y1={y(end.interval[0])} y2={y(end.interval[1])} />
              <circle cx={x(end.tokens)} cy={y(end.accuracy)} r={5} />
            </g>
          ))}
        </svg>
      )}
    </div>
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

function powersWithin(low: number, high: number): readonly number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => 10 ** (first + i));
  const factors = powers.length > 4 ? [1] : [1, 2, 5];
  return powers
    .flatMap((power) => factors.map((factor) => Number((factor * power).toPrecision(3))))
    .filter((value) => value >= low && value <= high);
}
