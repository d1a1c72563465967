import type { StepReward } from "@laconic/core";
import { useMemo } from "preact/hooks";
import type { EpisodeDetail, MessageValue, TokenDetail, TurnDetail } from "../../../src/protocol.ts";
import { AgentGraph } from "../../parts/agent-graph.tsx";
import { counted, formatNumber, formatPoints } from "@laconic/core/text";
import { visibleLine } from "../../parts/safe-text.ts";
import { Pieces, SafeLine, SafeText } from "../../parts/text.tsx";
import { Grade } from "./grade.tsx";
import { heatClass, heatValue, type HeatBy, type HeatScale } from "./heat.ts";
import { spokenUpTo } from "./spoken.ts";

interface ConversationProps {
  readonly detail: EpisodeDetail;
  readonly turnsShown: number;
  readonly by: HeatBy;
  readonly scale: HeatScale;
  readonly isOneOfTwo: boolean;
  readonly widestTokens: number;
}

/** Beyond this many tokens of a turn the rest is shown as plain text. */
const tokensColoured = 2000;

/** What agents wrote, turn by turn, and the graph of it up to there. */
export function Conversation({ detail, turnsShown, by, scale, isOneOfTwo, widestTokens }: ConversationProps) {
  const { row, turns } = detail;
  const shown = turns.slice(0, turnsShown);
  const graph = useMemo(() => spokenUpTo(detail, turnsShown), [detail, turnsShown]);
  const isOver = turnsShown >= turns.length;
  const active = isOver ? undefined : shown.at(-1)?.agent;
  const values = new Map(detail.messageValue.map((value) => [value.turn, value]));
  return (
    <article class="conversation" aria-label={`Step ${row.step}`}>
      <div class="line">
        <h3>
          Step {formatNumber(row.step)}, {row.kind}
        </h3>
        <Grade grade={row.grade} />
        <span class="soft small number">{counted(row.tokens, "token")}</span>
      </div>
      <div class={isOneOfTwo ? "" : "split"}>
        <div class="panel graph">
          <AgentGraph
            agents={graph.agents}
            costs={graph}
            written={graph.written}
            silence={graph.silence}
            widestTokens={widestTokens}
            {...(graph.answerer !== null && { answerer: graph.answerer })}
            {...(active !== undefined && { activeAgent: active })}
          />
        </div>
        <ol class="turns">
          {shown.map((turn) => (
            <Turn
              key={turn.turn}
              turn={turn}
              turns={turns}
              by={by}
              scale={scale}
              value={values.get(turn.turn) ?? null}
            />
          ))}
        </ol>
      </div>
      {isOver && <Outcome detail={detail} />}
    </article>
  );
}

interface TurnProps {
  readonly turn: TurnDetail;
  readonly turns: readonly TurnDetail[];
  readonly by: HeatBy;
  readonly scale: HeatScale;
  readonly value: MessageValue | null;
}

function Turn({ turn, turns, by, scale, value }: TurnProps) {
  const read = turns.filter((other) => turn.reads.includes(other.turn));
  return (
    <li class="turn panel">
      <div class="line">
        <b>
          <SafeLine text={turn.agent} max={40} />
        </b>
        {turn.opponent !== null && (
          <span class="small">
            played by the opponent <SafeLine text={turn.opponent} max={40} />
          </span>
        )}
        <span class="soft small">{counted(turn.writtenTokens, "token")}</span>
        {turn.advantage !== null && <span class="soft small number">advantage {formatNumber(turn.advantage)}</span>}
      </div>
      {turn.view !== null && (
        <div class="part private">
          <span class="what">private</span>
          <SafeText text={turn.view} max={1500} />
        </div>
      )}
      {read.map((other) => (
        <div key={other.turn} class="part read">
          <span class="what">
            read from <SafeLine text={other.agent} max={40} />
          </span>
          {other.silent ? <i class="soft">nothing</i> : <SafeText text={other.text} max={600} />}
        </div>
      ))}
      <div class="part wrote">
        <span class="what">wrote</span>
        {turn.silent ? (
          <i class="soft">
            nothing:{" "}
            {turn.writtenTokens === 1
              ? "silence costs its end token alone"
              : `the silent turn took ${counted(turn.writtenTokens, "token")}`}
          </i>
        ) : turn.tokens !== null && by !== "none" ? (
          <Tokens tokens={turn.tokens} by={by} scale={scale} />
        ) : (
          <SafeText text={turn.text} />
        )}
      </div>
      {turn.observed !== null && (
        <div class="part read">
          <span class="what">environment, {counted(turn.observed.tokens, "token")}</span>
          <SafeText text={turn.observed.text} max={1500} />
        </div>
      )}
      {turn.earned !== null && <Earned reward={turn.earned} />}
      <p class="soft small to">
        {turn.observed !== null
          ? "Read by the environment alone."
          : turn.silent
            ? "Nothing to read."
            : turn.deliveredTo.length === 0
              ? "No agent reads this: it is an answer, or it is wasted."
              : `Read by ${turn.deliveredTo.map((agent) => visibleLine(agent, 40)).join(", ")}.`}
      </p>
      {value !== null && <Value value={value} />}
    </li>
  );
}

/** What the environment paid for a step. */
function Earned({ reward }: { readonly reward: StepReward }) {
  const shares = typeof reward === "number" ? [["the team", reward] as const] : Object.entries(reward);
  return (
    <p class="small">
      The environment paid{" "}
      {shares.map(([who, amount], i) => (
        <span key={who}>
          {i > 0 && ", "}
          {visibleLine(who, 40)} <b class="number">{formatNumber(amount)}</b>
        </span>
      ))}
      .
    </p>
  );
}

function Tokens({
  tokens,
  by,
  scale,
}: {
  readonly tokens: readonly TokenDetail[];
  readonly by: HeatBy;
  readonly scale: HeatScale;
}) {
  return (
    <span class="safe-text tokens">
      {tokens.slice(0, tokensColoured).map((token, i) => (
        <span key={i} class={heatClass(heatValue(token, by), scale)} title={tokenInWords(token)}>
          {token.text === "" ? "∎" : <Pieces text={token.text.slice(0, 400)} />}
        </span>
      ))}
      {tokens.length > tokensColoured && (
        <>
          {" … "}
          <SafeText
            text={tokens
              .slice(tokensColoured)
              .map(({ text }) => text)
              .join("")}
            max={400}
          />
        </>
      )}
    </span>
  );
}

function tokenInWords({ text, logProb, advantage, price }: TokenDetail): string {
  const parts = [
    `“${visibleLine(text, 40)}”`,
    `log-prob ${formatNumber(logProb)}`,
    `probability ${formatNumber(Math.exp(logProb))}`,
  ];
  if (advantage !== null) parts.push(`advantage ${formatNumber(advantage)}`);
  if (price !== 0) parts.push(`price ${formatNumber(price)}`);
  return parts.join(", ");
}

function Value({ value: { value, interval } }: { readonly value: MessageValue }) {
  return (
    <p class="small value">
      Worth <b>{formatPoints(value)} points</b> of accuracy
      {interval !== null && ` (${formatPoints(interval[0])} to ${formatPoints(interval[1])})`}:{" "}
      {interval !== null && interval[0] <= 0 && interval[1] >= 0
        ? "not distinguishable from zero."
        : value > 0
          ? "without it the team is right less often."
          : "without it the team is right more often."}
    </p>
  );
}

function Outcome({ detail }: { readonly detail: EpisodeDetail }) {
  const terms = Object.entries(detail.terms);
  return (
    <div class="outcome panel">
      <div class="line">
        <b>Answer</b>
        <Grade grade={detail.row.grade} />
      </div>
      <p class="mono">
        {detail.answer === null ? <i class="soft">none</i> : <SafeText text={detail.answer} max={1500} />}
      </p>
      {terms.length > 0 && (
        <p class="small">
          Reward <b class="number">{formatNumber(detail.row.reward)}</b> ={" "}
          {terms.map(([name, value], i) => (
            <span key={name} class="number">
              {i > 0 && (value < 0 ? " − " : " + ")}
              {formatNumber(i > 0 ? Math.abs(value) : value)} <span class="soft">{visibleLine(name, 40)}</span>
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
