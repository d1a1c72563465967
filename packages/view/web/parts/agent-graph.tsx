import { counted, formatPercent } from "@laconic/core/text";
import type { EdgeCost } from "@laconic/core/ledger";
import type { TeamSpeech } from "../../src/protocol.ts";
import { useWidth } from "./drawn.tsx";
import {
  clipped,
  costWords,
  inReward,
  labelsOf,
  lineHeight,
  nameAt,
  nameRoom,
  rounded,
  shownName,
  spokenName,
  tokenWord,
  type GraphNote,
  type PlacedLabel,
  type PriceWords,
} from "./graph-labels.ts";
import { along, edgePath, layoutOf, type EdgePath, type GraphLayout } from "./graph-layout.ts";

export interface TravellingMessage {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly silent: boolean;
}

interface AgentGraphProps {
  readonly agents: readonly string[];
  readonly speech: TeamSpeech;
  /** Tokens of the widest line, to compare pictures. Default: from this picture. */
  readonly widestTokens?: number;
  readonly answerer?: string;
  readonly activeAgent?: string;
  readonly travelling?: readonly TravellingMessage[];
  /** Private fact or message. */
  readonly notes?: Readonly<Record<string, GraphNote>>;
  readonly prices?: PriceWords;
  /** Source of numbers without room in the picture, such as "the table". */
  readonly elsewhere?: string;
}

/** Line width: tokens. Green part of a circle: share of turns with a message. */
export function AgentGraph(props: AgentGraphProps) {
  const { agents, speech, answerer, travelling = [], notes = {}, prices = inReward } = props;
  const { edges } = speech;
  const [element, room] = useWidth();
  const layout = layoutOf(agents, edges, answerer, room === 0 ? 400 : room);
  const max = Math.max(1, props.widestTokens ?? 0, ...edges.map(({ tokens }) => tokens));
  const pairs = new Set(edges.map(({ from, to }) => `${from} ${to}`));
  const drawn = edges.flatMap((edge) => {
    const path = edgePath(layout, edge, pairs.has(`${edge.to} ${edge.from}`) ? 22 : 0);
    return path ? [{ edge, path }] : [];
  });
  const { labels, unlabelled } = labelsOf({ agents, notes, prices }, layout, drawn);
  return (
    <div class="agent-graph-place" ref={element}>
      <svg
        class="agent-graph"
        width={layout.width}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        role="img"
        aria-label={inWords(props)}
      >
        {drawn.map(({ edge, path }) => (
          <Edge key={`${edge.from} ${edge.to}`} {...{ edge, path, prices }} width={1.5 + (6 * edge.tokens) / max} />
        ))}
        {agents.map((agent) => (
          <Agent key={agent} {...{ agent, layout, props }} />
        ))}
        {labels.map((label) => (
          <EdgeLabel key={label.key} label={label} />
        ))}
        {travelling.map((message) => (
          <Travelling key={`${message.from} ${message.to} ${message.text}`} {...{ message, layout }} />
        ))}
      </svg>
      {edges.length > 0 && (
        <p class="soft small">
          {costWords(speech, prices)}
          {unlabelled > 0 && ` Numbers of ${counted(unlabelled, "line")} are in ${props.elsewhere ?? "tooltips"}.`}
        </p>
      )}
    </div>
  );
}

function EdgeLabel({ label: { box, tokens, price } }: { label: PlacedLabel }) {
  const first = price === null ? 4.5 : -2.5;
  return (
    <g class="edge-label" transform={`translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`}>
      <rect x={-box.width / 2} y={-box.height / 2} width={box.width} height={box.height} rx={8} />
      <text y={first}>{tokens}</text>
      {price !== null && (
        <text class="price" y={first + lineHeight}>
          {price}
        </text>
      )}
    </g>
  );
}

interface EdgeProps {
  readonly edge: EdgeCost;
  readonly path: EdgePath;
  readonly width: number;
  readonly prices: PriceWords;
}

function Edge({ edge, path, width, prices }: EdgeProps) {
  const { from, to, tokens, cost } = edge;
  const count = rounded(tokens);
  const price = cost > 0 ? `, cost ${prices.format(cost)} ${prices.unit}` : "";
  const size = 5 + width / 1.6;
  const before = along(path, 0.6);
  const angle = (180 / Math.PI) * Math.atan2(path.to.y - before.y, path.to.x - before.x);
  return (
    <g>
      <title>{`${spokenName(from)} to ${spokenName(to)}: ${count} ${tokenWord(count)} per episode${price}`}</title>
      <path class={tokens > 0 ? "edge" : "edge unused"} d={path.path} stroke-width={width} />
      {tokens > 0 && (
        <path
          class="arrow"
          d={`M11 0L-2 ${-size}L-2 ${size}Z`}
          transform={`translate(${path.to.x} ${path.to.y}) rotate(${angle.toFixed(1)})`}
        />
      )}
    </g>
  );
}

function Agent({ agent, layout, props }: { agent: string; layout: GraphLayout; props: AgentGraphProps }) {
  const center = layout.places[agent];
  if (!center) return null;
  const { radius } = layout;
  const written = rounded(props.speech.written[agent] ?? 0);
  const spoken = 1 - Math.min(1, Math.max(0, props.speech.silence[agent] ?? 0));
  const around = 2 * Math.PI * radius;
  const note = props.notes?.[agent];
  const name = nameAt(layout, agent, note);
  return (
    <g class={props.activeAgent === agent ? "active" : ""} transform={`translate(${center.x} ${center.y})`}>
      <title>{`${spokenName(agent)}: writes ${written} ${tokenWord(written)} per episode, silent in ${formatPercent(1 - spoken, 0)} of its turns`}</title>
      <circle class="rim" r={radius} />
      <circle
        class="spoken"
        r={radius}
        transform="rotate(-90)"
        stroke-dasharray={`${(around * spoken).toFixed(1)} ${around.toFixed(1)}`}
      />
      <text class="count" y="3">
        {written}
      </text>
      <text class="unit" y="17">
        {tokenWord(written)}
      </text>
      <text class="name" y={name}>
        {shownName(agent, nameRoom(layout, agent))}
      </text>
      {note && (
        <text class={`note ${note.kind}`} y={name + 18}>
          {clipped(note.text)}
        </text>
      )}
    </g>
  );
}

function Travelling({ message, layout }: { message: TravellingMessage; layout: GraphLayout }) {
  const path = edgePath(layout, message, 0);
  if (!path) return null;
  const shown = clipped(message.silent ? "silent" : message.text);
  const width = shown.length * (message.silent ? 6.4 : 8.5) + 18;
  const within = (x: number): string =>
    `${Math.min(layout.width - width / 2 - 2, Math.max(width / 2 + 2, x)).toFixed(1)}px`;
  const end = message.silent ? path.from : path.to;
  const points = Object.entries({ a: path.from, m: along(path, 0.5), b: end });
  const style = Object.fromEntries(
    points.flatMap(([name, { x, y }]) => [
      [`--${name}x`, within(x)],
      [`--${name}y`, `${y.toFixed(1)}px`],
    ]),
  );
  return (
    <g class={message.silent ? "travelling silent" : "travelling"} style={style} aria-hidden="true">
      <rect x={-width / 2} y={-14} width={width} height={28} rx={14} />
      <text y={5}>{shown}</text>
    </g>
  );
}

function inWords({ agents, speech: { edges, written }, prices = inReward }: AgentGraphProps): string {
  const writes = agents.map((agent) => `${spokenName(agent)} writes ${rounded(written[agent] ?? 0)}`).join(", ");
  const reads = edges
    .filter(({ tokens }) => tokens > 0)
    .map(({ from, to, tokens, cost }) => {
      const price = cost > 0 ? ` at a cost of ${prices.format(cost)}` : "";
      return `${spokenName(to)} reads ${rounded(tokens)} from ${spokenName(from)}${price}`;
    })
    .join(", ");
  return `Tokens per episode: ${writes}${reads === "" ? "" : `; ${reads}`}`;
}
