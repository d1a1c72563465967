import type { StepReward } from "@laconic/core";
import { counted, formatNumber, formatPoints } from "@laconic/core/text";
import { useMemo } from "preact/hooks";
import type { EpisodeDetail, MessageValue, TokenDetail, TurnDetail } from "../../../src/protocol.ts";
import { AgentGraph } from "../../parts/agent-graph.tsx";
import { visibleLine } from "../../parts/safe-text.ts";
import { Pieces, SafeLine, SafeText } from "../../parts/text.tsx";
import { GivenText, Grade, Part } from "../parts.tsx";
import { heatClass, type HeatScale } from "./heat.ts";
import { spokenUpTo } from "./spoken.ts";

interface ConversationProps {
  readonly detail: EpisodeDetail;
  readonly turnsShown: number;
  readonly scale: HeatScale;
  readonly isOneOfTwo: boolean;
  readonly widestTokens: number;
}

/** Max coloured tokens per turn; the rest is plain text. */
const tokensColoured = 2000;

export function Conversation({ detail, turnsShown, scale, isOneOfTwo, widestTokens }: ConversationProps) {
  const { row, turns, messageValue } = detail;
  const shown = turns.slice(0, turnsShown);
  const { answerer, ...graph } = useMemo(() => spokenUpTo(detail, turnsShown), [detail, turnsShown]);
  const isOver = turnsShown >= turns.length;
  const active = isOver ? undefined : shown.at(-1)?.agent;
  return (
    <article class="conversation" aria-label={`Step ${row.step}`}>
      <div class="line">
        <h3>
          Step {formatNumber(row.step)}, {row.kind}
        </h3>
        <Grade grade={row.grade} />
        <span class="soft small number">{counted(row.tokens, "token")}</span>
      </div>
      <div class={isOneOfTwo ? "" : "columns"}>
        <div class="panel graph">
          <AgentGraph
            {...graph}
            costs={graph}
            widestTokens={widestTokens}
            {...(answerer !== null && { answerer })}
            {...(active !== undefined && { activeAgent: active })}
          />
        </div>
        <ol class="list stack turns">
          {shown.map((turn) => (
            <Turn
              key={turn.turn}
              {...{ turn, turns, scale }}
              value={messageValue.find((value) => value.turn === turn.turn)}
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
  readonly scale: HeatScale;
  readonly value: MessageValue | undefined;
}

function Turn({ turn, turns, scale, value }: TurnProps) {
  const { agent, opponent, writtenTokens, advantage, view, reads, silent, tokens, text, observed, earned } = turn;
  return (
    <li class="turn panel">
      <div class="line">
        <b>
          <SafeLine text={agent} max={40} />
        </b>
        {opponent !== null && (
          <span class="small">
            played by the opponent <SafeLine text={opponent} max={40} />
          </span>
        )}
        <span class="soft small">{counted(writtenTokens, "token")}</span>
        {advantage !== null && <span class="soft small number">advantage {formatNumber(advantage)}</span>}
      </div>
      {view !== null && <Part kind="private" title="private" text={view} max={1500} />}
      {turns
        .filter((other) => reads.includes(other.turn))
        .map((other) => (
          <Part
            key={other.turn}
            kind="read"
            title={`read from ${visibleLine(other.agent, 40)}`}
            text={other.silent ? null : other.text}
            max={600}
            none="nothing"
          />
        ))}
      {!silent && tokens !== null && scale.by !== "none" ? (
        <div class="part wrote">
          <span class="what">wrote</span>
          <Tokens tokens={tokens} scale={scale} />
        </div>
      ) : (
        <Part
          kind="wrote"
          title="wrote"
          text={silent ? null : text}
          none={
            writtenTokens === 1
              ? "nothing: silence costs its end token alone"
              : `nothing: the silent turn took ${counted(writtenTokens, "token")}`
          }
        />
      )}
      {observed !== null && (
        <Part kind="read" title={`environment, ${counted(observed.tokens, "token")}`} text={observed.text} max={1500} />
      )}
      {earned !== null && <p class="small">{earnedText(earned)}</p>}
      <p class="soft small to">{readersText(turn)}</p>
      {value && <Value value={value} />}
    </li>
  );
}

function readersText({ observed, silent, deliveredTo }: TurnDetail): string {
  if (observed !== null) return "Read by the environment alone.";
  if (silent) return "Nothing to read.";
  if (deliveredTo.length === 0) return "No agent reads this: it is an answer, or it is wasted.";
  return `Read by ${deliveredTo.map((agent) => visibleLine(agent, 40)).join(", ")}.`;
}

function earnedText(reward: StepReward): string {
  const shares = typeof reward === "number" ? [["the team", reward] as const] : Object.entries(reward);
  return `The environment paid ${shares.map(([agent, amount]) => `${visibleLine(agent, 40)} ${formatNumber(amount)}`).join(", ")}.`;
}

function Tokens({ tokens, scale }: { tokens: readonly TokenDetail[]; scale: HeatScale }) {
  const { by } = scale;
  const rest = tokens.slice(tokensColoured);
  return (
    <span class="safe-text tokens">
      {tokens.slice(0, tokensColoured).map((token, i) => (
        <span key={i} class={heatClass(by === "none" ? null : token[by], scale)} title={tokenText(token)}>
          {token.text === "" ? "∎" : <Pieces text={token.text.slice(0, 400)} />}
        </span>
      ))}
      {rest.length > 0 && <SafeText text={` … ${rest.map(({ text }) => text).join("")}`} max={400} />}
    </span>
  );
}

function tokenText({ text, logProb, advantage, price }: TokenDetail): string {
  const parts = [
    `“${visibleLine(text, 40)}”`,
    `log-prob ${formatNumber(logProb)}`,
    `probability ${formatNumber(Math.exp(logProb))}`,
  ];
  if (advantage !== null) parts.push(`advantage ${formatNumber(advantage)}`);
  if (price !== 0) parts.push(`price ${formatNumber(price)}`);
  return parts.join(", ");
}

function Value({ value: { value, interval } }: { value: MessageValue }) {
  return (
    <p class="small value">
      Worth <b>{formatPoints(value)} points</b> of accuracy
      {interval !== null && ` (${formatPoints(interval[0])} to ${formatPoints(interval[1])})`}:{" "}
      {interval !== null && interval[0] <= 0 && interval[1] >= 0
        ? "not distinguishable from zero."
        : `without it the team is right ${value > 0 ? "less" : "more"} often.`}
    </p>
  );
}

function Outcome({ detail: { row, terms, answer } }: { detail: EpisodeDetail }) {
  const parts = Object.entries(terms);
  return (
    <div class="outcome panel">
      <div class="line">
        <b>Answer</b>
        <Grade grade={row.grade} />
      </div>
      <p class="mono">
        <GivenText text={answer} max={1500} />
      </p>
      {parts.length > 0 && (
        <p class="small">
          Reward <b class="number">{formatNumber(row.reward)}</b> ={" "}
          {parts.map(([name, value], i) => (
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
