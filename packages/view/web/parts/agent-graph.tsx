import type { JSX } from "preact";
import { edgePath, layoutOf, type EdgePath, type GraphLayout } from "./graph-layout.ts";

/** What goes from one agent to another: tokens a mean per episode, and what they cost. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly tokens: number;
  readonly price: number;
}

/** A message on its way. */
export interface TravellingMessage {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly silent: boolean;
}

export interface GraphNote {
  readonly text: string;
  readonly kind: "private" | "heard" | "said" | "plain";
}

export interface AgentGraphProps {
  readonly agents: readonly string[];
  readonly edges: readonly GraphEdge[];
  /** Tokens that an agent writes, mean per episode. */
  readonly written: Readonly<Record<string, number>>;
  /** Share of its turns without a word, from 0 to 1. */
  readonly silence: Readonly<Record<string, number>>;
  /** Tokens of the widest line, where pictures are compared; else the most of this one. */
  readonly widestTokens?: number;
  readonly answerer?: string;
  readonly activeAgent?: string;
  readonly travelling?: readonly TravellingMessage[];
  /** A few words beside an agent's name: what it alone knows, heard or said. */
  readonly notes?: Readonly<Record<string, GraphNote>>;
  readonly onAgent?: (agent: string) => void;
}

/** More lines than this would cover each other's numbers; they say them when pointed at. */
const mostLabels = 8;

/** Who speaks to whom: a line is as wide as what it carries, a rim as green as its agent speaks. A page links `agent-graph.css`. */
export function AgentGraph(props: AgentGraphProps): JSX.Element {
  const { agents, edges, answerer, travelling = [] } = props;
  const layout = layoutOf(agents, edges, answerer);
  const most = Math.max(1, props.widestTokens ?? 0, ...edges.map(({ tokens }) => tokens));
  const pairs = new Set(edges.map(({ from, to }) => `${from} ${to}`));
  return (
    <svg
      class="agent-graph"
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      role={props.onAgent ? "group" : "img"}
      aria-label={inWords(props)}
    >
      {edges.map((edge) => {
        const place = edgePath(layout, edge, pairs.has(`${edge.to} ${edge.from}`) ? 22 : 0);
        return (
          place && (
            <Edge
              key={`${edge.from} ${edge.to}`}
              {...{ edge, place }}
              width={1.5 + (6 * edge.tokens) / most}
              isLabelled={edges.length <= mostLabels}
            />
          )
        );
      })}
      {agents.map((agent) => (
        <Agent key={agent} {...{ agent, layout, props }} />
      ))}
      {travelling.map((message) => (
        <Travelling key={`${message.from} ${message.to} ${message.text}`} {...{ message, layout }} />
      ))}
    </svg>
  );
}

interface EdgeProps {
  readonly edge: GraphEdge;
  readonly place: EdgePath;
  readonly width: number;
  readonly isLabelled: boolean;
}

function Edge({ edge, place, width, isLabelled }: EdgeProps): JSX.Element {
  const { tokens, price } = edge;
  const size = 5 + width / 1.6;
  const label = rounded(tokens);
  const half = 7 + 3.8 * label.length;
  const angle = (180 / Math.PI) * Math.atan2(place.to.y - place.middle.y, place.to.x - place.middle.x);
  return (
    <g>
      <title>{`${edge.from} to ${edge.to}: ${rounded(tokens)} tokens per episode${price > 0 ? `, which cost ${price.toFixed(3)}` : ""}`}</title>
      <path class={tokens > 0 ? "edge" : "edge unused"} d={place.path} stroke-width={width} />
      {tokens > 0 && (
        <path
          class="arrow"
          d={`M11 0L-2 ${-size}L-2 ${size}Z`}
          transform={`translate(${place.to.x} ${place.to.y}) rotate(${angle.toFixed(1)})`}
        />
      )}
      {isLabelled && (
        <g class="edge-label" transform={`translate(${place.middle.x.toFixed(1)} ${place.middle.y.toFixed(1)})`}>
          <rect x={-half} y={-11} width={2 * half} height={22} rx={11} />
          <text y={5}>{label}</text>
        </g>
      )}
    </g>
  );
}

interface AgentProps {
  readonly agent: string;
  readonly layout: GraphLayout;
  readonly props: AgentGraphProps;
}

function Agent({ agent, layout, props }: AgentProps): JSX.Element | null {
  const place = layout.places[agent];
  if (!place) return null;
  const { radius } = layout;
  const { onAgent } = props;
  const isActive = props.activeAgent === agent;
  const written = props.written[agent] ?? 0;
  const spoken = 1 - Math.min(1, Math.max(0, props.silence[agent] ?? 0));
  const around = 2 * Math.PI * radius;
  const isBelow = agent === props.answerer && layout.height < 300;
  const note = props.notes?.[agent];
  const name = isBelow ? radius + 22 : -radius - (note ? 29 : 12);
  const choose = onAgent && {
    role: "button" as const,
    tabIndex: 0,
    "aria-label": `${agent}, ${rounded(written)} tokens, silent in ${Math.round(100 - 100 * spoken)} % of turns`,
    onClick: () => onAgent(agent),
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === "Enter" || key === " ") onAgent(agent);
    },
  };
  return (
    <g class={isActive ? "agent active" : "agent"} transform={`translate(${place.x} ${place.y})`} {...choose}>
      <title>{`${agent}: writes ${rounded(written)} tokens per episode, silent in ${Math.round(100 - 100 * spoken)} % of its turns`}</title>
      <circle class="rim" r={radius} />
      <circle
        class="spoken"
        r={radius}
        transform="rotate(-90)"
        stroke-dasharray={`${(around * spoken).toFixed(1)} ${around.toFixed(1)}`}
      />
      <text class="count" y="3">
        {rounded(written)}
      </text>
      <text class="unit" y="17">
        tokens
      </text>
      <text class="name" y={name}>
        {agent}
      </text>
      {note && (
        <text class={`note ${note.kind}`} y={name + 18}>
          {clipped(note.text)}
        </text>
      )}
    </g>
  );
}

interface TravellingProps {
  readonly message: TravellingMessage;
  readonly layout: GraphLayout;
}

/** Of what is shown on its way; the transcript has the whole. */
const mostCharacters = 26;

function Travelling({ message, layout }: TravellingProps): JSX.Element | null {
  const place = edgePath(layout, message, 0);
  if (!place) return null;
  const said = message.silent ? "says nothing" : message.text;
  const shown = clipped(said);
  const width = shown.length * (message.silent ? 6.4 : 8.5) + 18;
  /** Nothing leaves the picture. */
  const within = (x: number): string =>
    `${Math.min(layout.width - width / 2 - 2, Math.max(width / 2 + 2, x)).toFixed(1)}px`;
  const end = message.silent ? place.from : place.to;
  const style = {
    "--ax": within(place.from.x),
    "--ay": `${place.from.y.toFixed(1)}px`,
    "--mx": within(place.middle.x),
    "--my": `${place.middle.y.toFixed(1)}px`,
    "--bx": within(end.x),
    "--by": `${end.y.toFixed(1)}px`,
  };
  return (
    <g class={message.silent ? "travelling silent" : "travelling"} style={style} aria-hidden="true">
      <rect x={-width / 2} y={-14} width={width} height={28} rx={14} />
      <text y={5}>{shown}</text>
    </g>
  );
}

function clipped(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text;
}

/** What a picture says to those who do not see it. */
function inWords({ agents, edges, written }: AgentGraphProps): string {
  const writes = agents.map((agent) => `${agent} writes ${rounded(written[agent] ?? 0)}`).join(", ");
  const hears = edges
    .filter(({ tokens }) => tokens > 0)
    .map(({ from, to, tokens }) => `${to} reads ${rounded(tokens)} of ${from}`)
    .join(", ");
  return `Tokens per episode: ${writes}${hears === "" ? "" : `; ${hears}`}`;
}

function rounded(tokens: number): string {
  return tokens.toFixed(tokens < 9.95 ? 1 : 0);
}
