import type { StepReward } from "@laconic/core";
import { formatNumber, counted, formatPoints } from "@laconic/core/text";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { EpisodeDetail, MessageValue, TokenDetail, TurnDetail } from "../../../src/protocol.ts";
import { AgentGraph } from "../../parts/agent-graph.tsx";
import { Button, Select } from "../../parts/elements.tsx";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeText, Pieces, SafeLine } from "../../parts/text.tsx";
import { setQuery, useQuery } from "../navigation.ts";
import { gradeText, Problem, When, GivenText, Grade, Part } from "../parts.tsx";
import { Player } from "../player.tsx";
import { useLoadedAll, type Loaded } from "../server.ts";
import { heatLook, heatNames, heatOf, heatScale, heatsOf, type HeatBy, type HeatScale } from "./heat.ts";
import { spokenUpTo } from "./spoken.ts";

interface EpisodeViewProps {
  readonly run: string;
  readonly episode: string;
  /** Key of the second episode; empty for none. */
  readonly other: string;
  readonly children?: ComponentChildren;
}

export function EpisodeView({ run, episode, other, children }: EpisodeViewProps) {
  const keys = other === "" ? [episode] : [episode, other];
  const [loaded, loadedOther] = useLoadedAll<EpisodeDetail>(
    keys.map((key) => `/runs/${encodeURIComponent(run)}/episodes/${encodeURIComponent(key)}`),
  );
  return (
    <div class="episode">
      <Button kind="back" onClick={() => setQuery({ episode: "", with: "", list: "1" })}>
        ← All episodes
      </Button>
      {children}
      <When loaded={loaded as Loaded<EpisodeDetail>}>
        {(detail) => <Both key={detail.row.key} detail={detail} other={loadedOther?.value ?? null} />}
      </When>
      {loadedOther?.error && <Problem error={loadedOther.error} />}
    </div>
  );
}

function Both({ detail, other }: { detail: EpisodeDetail; other: EpisodeDetail | null }) {
  // Earlier episode on the left.
  const pair = (other === null ? [detail] : [detail, other]).toSorted((a, b) => a.row.step - b.row.step);
  const last = Math.max(...pair.map(({ turns }) => turns.length));
  const [shown, setShown] = useState<number | null>(null);
  const tokens = useMemo(
    () => pair.flatMap(({ turns }) => turns.flatMap((turn) => turn.tokens ?? [])),
    [detail, other],
  );
  const heats = heatsOf(tokens);
  const asked = (useQuery("heat") || "none") as HeatBy;
  const by = heats.includes(asked) ? asked : "none";
  const scale = useMemo(() => heatScale(tokens, by), [tokens, by]);
  const count = Math.min(shown ?? last, last);
  const widestTokens = Math.max(...pair.flatMap(({ turns }) => turns.map((turn) => turn.writtenTokens)), 1);
  return (
    <>
      <header>
        <h2 tabIndex={-1} data-opened>
          <SafeText text={detail.problem.question} max={600} />
        </h2>
        <p class="small">
          Correct answer:{" "}
          <b class="mono">
            <SafeText text={detail.problem.gold || "unknown"} max={300} />
          </b>{" "}
          (hidden from the agents).
        </p>
        <p class="small">
          <span class="word private">Private</span>: text for this agent only. <span class="word read">Read</span>:
          messages delivered to the agent. <span class="word wrote">Wrote</span>: its message. Every token costs, also
          the end token.
        </p>
      </header>
      <Player verb="Replay" {...{ index: count, last }} text={`Turn ${count} of ${last}`} waitMs={900} show={setShown}>
        {heats.length > 1 && (
          <Select
            label="Colour tokens by"
            value={by}
            options={heats.map((name) => [name, heatNames[name]] as const)}
            onChange={(heat) => setQuery({ heat })}
          />
        )}
        {detail.others.length > 0 && <Others detail={detail} chosen={other?.row.key ?? ""} />}
      </Player>
      {by !== "none" && <HeatLegend scale={scale} />}
      <div class={pair.length === 2 ? "fit side-by-side" : ""}>
        {pair.map((episode) => (
          <Conversation
            key={episode.row.key}
            detail={episode}
            turnsShown={count}
            isOneOfTwo={pair.length === 2}
            {...{ scale, widestTokens }}
          />
        ))}
      </div>
    </>
  );
}

function Others({ detail, chosen }: { detail: EpisodeDetail; chosen: string }) {
  const rows = detail.others.toSorted((a, b) => a.step - b.step).slice(0, 200);
  const options = rows.map(({ key, step, kind, grade, tokens }) => {
    const graded = grade === null ? "" : `, ${gradeText(grade)}`;
    return [key, `step ${step}, ${kind}${graded}, ${tokens} tokens`] as const;
  });
  return (
    <Select
      label="Compare with"
      data-beside
      value={chosen}
      any="none"
      options={options}
      onChange={(key) => setQuery({ episode: detail.row.key, with: key })}
    />
  );
}

const strengths = [0, 1, 2, 3, 4, 5];
const legendTexts: Readonly<Record<HeatBy, string>> = {
  none: "",
  logProb: "nats; stronger colours are less likely tokens",
  advantage: "advantage; blue raises the probability, orange lowers it",
  price: "reward per token",
};

function HeatLegend({ scale: { by, end, isSigned } }: { scale: HeatScale }) {
  return (
    <p class="line legend">
      {isSigned && (
        <>
          <span class="number">{formatNumber(-end)}</span>
          {strengths.toReversed().map((strength) => (
            <i key={strength} {...heatLook(strength, false)} />
          ))}
        </>
      )}
      <span class="number">0</span>
      {strengths.map((strength) => (
        <i key={strength} {...heatLook(strength, isSigned)} />
      ))}
      <span class="number">{formatNumber(by === "logProb" ? -end : end)}</span>
      <span class="soft">{legendTexts[by]}</span>
    </p>
  );
}

interface ConversationProps {
  readonly detail: EpisodeDetail;
  readonly turnsShown: number;
  readonly scale: HeatScale;
  readonly isOneOfTwo: boolean;
  readonly widestTokens: number;
}

/** The rest is plain text. */
const tokensColoured = 2000;

function Conversation({ detail, turnsShown, scale, isOneOfTwo, widestTokens }: ConversationProps) {
  const { row, turns, messageValue } = detail;
  const shown = turns.slice(0, turnsShown);
  const { answerer, ...speech } = useMemo(() => spokenUpTo(detail, turnsShown), [detail, turnsShown]);
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
            agents={speech.agents}
            {...{ speech, widestTokens }}
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
            played by opponent <SafeLine text={opponent} max={40} />
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
              ? "silent, at the cost of its end token"
              : `silent, at the cost of ${counted(writtenTokens, "token")}`
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
  if (observed !== null) return "Read by the environment.";
  if (silent) return "No message to read.";
  if (deliveredTo.length === 0) return "No agent reads this message.";
  return `Read by ${deliveredTo.map((agent) => visibleLine(agent, 40)).join(", ")}.`;
}

function earnedText(reward: StepReward): string {
  const shares = typeof reward === "number" ? [["the team", reward] as const] : Object.entries(reward);
  return `Environment reward: ${shares.map(([agent, amount]) => `${visibleLine(agent, 40)} ${formatNumber(amount)}`).join(", ")}.`;
}

function Tokens({ tokens, scale }: { tokens: readonly TokenDetail[]; scale: HeatScale }) {
  const { by } = scale;
  const rest = tokens.slice(tokensColoured);
  return (
    <span class="safe-text tokens">
      {tokens.slice(0, tokensColoured).map((token, i) => (
        <span key={i} {...heatOf(by === "none" ? null : token[by], scale)} title={tokenText(token)}>
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
      Message value: <b>{formatPoints(value)} points</b> of accuracy
      {interval !== null && ` (${formatPoints(interval[0])} to ${formatPoints(interval[1])})`}:{" "}
      {interval !== null && interval[0] <= 0 && interval[1] >= 0
        ? "not significant."
        : `accuracy is ${value > 0 ? "lower" : "higher"} without it.`}
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
