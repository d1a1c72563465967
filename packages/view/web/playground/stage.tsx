import { formatPercent, counted } from "@laconic/core/text";
import { useEffect, useRef, useState, useContext } from "preact/hooks";
import type { TeamSpeech } from "../../src/protocol.ts";
import { AgentGraph, type TravellingMessage } from "../parts/agent-graph.tsx";
import { Panel } from "../parts/elements.tsx";
import type { GraphNote, PriceWords } from "../parts/graph-labels.ts";
import { levelTexts, Level } from "./level.ts";
import type { Told } from "./state.ts";
import type { Conversation } from "./worker/messages.ts";

type Phase = "holders" | "solver" | "over";

/** Milliseconds. */
const lasting: Readonly<Record<Phase, number>> = { holders: 1500, solver: 1500, over: 1300 };

const ofRightAnswer: PriceWords = {
  format: (cost) => (cost < 0.0005 ? "< 0.1 %" : formatPercent(cost)),
  exact: (cost) => (cost < 0.00005 ? "< 0.01 %" : formatPercent(cost, 2)),
  unit: "in % of a right answer",
};

export function Stage({ team, episode, step }: { team: TeamSpeech; episode: Conversation; step: number }) {
  const { shown, phase } = usePlayback(episode);
  const { turns, question } = shown;
  const solver = turns.at(-1)?.agent ?? "solver";
  const travelling = turns.flatMap(({ agent, text, silent }): TravellingMessage[] =>
    phase === "holders" && agent !== solver ? [{ from: agent, to: solver, text, silent }] : [],
  );
  const notes = Object.fromEntries(
    turns.map(({ agent, fact, text, silent }): [string, GraphNote] => {
      if (fact !== null) return [agent, { text: `knows ${fact}`, kind: "private" }];
      if (phase === "holders") return [agent, { text: `asked for ${question}`, kind: "plain" }];
      return [agent, { text: silent ? "silent" : `writes “${text}”`, kind: silent ? "plain" : "wrote" }];
    }),
  );
  return (
    <Panel
      kind="stage"
      title={
        <>
          {step === 0 ? "The team before training" : `The team at step ${step}`}{" "}
          <span class="soft small">tokens per episode</span>
        </>
      }
    >
      <AgentGraph
        agents={turns.map(({ agent }) => agent)}
        speech={team}
        {...{ travelling, notes }}
        answerer={solver}
        prices={ofRightAnswer}
        {...(phase === "solver" && { activeAgent: solver })}
      />
      <ConversationView conversation={shown} label="Conversation of the step" />
    </Panel>
  );
}

/** Drops all but the newest waiting one. */
function usePlayback(latest: Conversation): { readonly shown: Conversation; readonly phase: Phase } {
  const [shown, setShown] = useState(latest);
  const [phase, setPhase] = useState<Phase>("over");
  const next = useRef(latest);
  next.current = latest;
  const isWaiting = phase === "over" && latest === shown;
  useEffect(() => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isWaiting) return undefined;
    const timer = setTimeout(() => {
      if (phase === "holders") return setPhase("solver");
      if (phase === "solver") return setPhase("over");
      setShown(next.current);
      return setPhase(still ? "over" : "holders");
    }, lasting[phase]);
    return () => clearTimeout(timer);
  }, [phase, shown, isWaiting]);
  return { shown, phase };
}

interface TellersStageProps {
  readonly episode: Conversation;
  readonly told: readonly Told[];
  readonly step: number;
  readonly isWarmingUp: boolean;
}

const shownSteps = 60;

/** The stories are never used for training. */
export function TellersStage({ episode, told, step, isWarmingUp }: TellersStageProps) {
  const { question, gold, answer, right, turns, tokens } = episode;
  const heard = turns.at(-1)?.read ?? [];
  const title = isWarmingUp
    ? "Warm start: the model learns to name owners"
    : step === 0
      ? levelTexts.tellers.before
      : `The team at step ${step}`;
  return (
    <Panel title={title} kind="stage">
      <p>
        Whose is the <b>{question}</b>? <span class="soft small">A test problem, the same at every step.</span>
      </p>
      <ol class="list stack" aria-label="Tellers">
        {turns.slice(0, -1).map((turn) => (
          <Teller key={turn.agent} turn={turn} told={told} />
        ))}
      </ol>
      <p class="soft small">
        Bars: tokens per message, one bar per step{told.length > 0 && `, n = ${counted(told.length, "step")}`}.
      </p>
      <div class="notice">
        <h3>The solver</h3>
        <p>
          <span class="soft small">reads</span> {heard.length === 0 && "nothing"}
          {heard.map(({ from, text }) => (
            <span key={from} class="safe-text read said">
              {text}
            </span>
          ))}
        </p>
        <p>
          <span class="soft small">completes</span> Mom found the {question}. “Thank you,{" "}
          <b class="safe-text">{answer === null || answer.trim() === "" ? "…" : answer}</b>”{" "}
          <b class={`tone ${right ? "good" : "bad"}`}>{right ? "✓ right" : `✗ it is ${gold}'s`}</b>
        </p>
        <Bars
          tone="good"
          heights={told.map((each) => (each.right ? 1 : 0))}
          label={(count, steps) => `The solver was right at ${count} of ${steps} steps`}
        />
        <p class="soft small">{counted(tokens, "token")} in total</p>
      </div>
    </Panel>
  );
}

/** Steps that determine how much a teller still speaks. */
const recentSteps = 5;

function Teller({ turn, told }: { turn: Conversation["turns"][number]; told: readonly Told[] }) {
  const { agent, fact, knows = false, text, silent, tokens } = turn;
  const own = told.flatMap(({ step, turns }) =>
    turns.filter((other) => other.agent === agent).map((message) => ({ ...message, step })),
  );
  const last = own.findLast((message) => !message.silent);
  const recent = own.slice(-recentSteps);
  const speaking = recent.filter((message) => !message.silent).length / Math.max(1, recent.length);
  const most = Math.max(1, ...own.map((message) => message.tokens));
  return (
    <li class={knows ? "notice teller good" : "notice teller"}>
      <h3 class="line">
        Teller {agent}{" "}
        <span class={knows ? "badge last good" : "badge last"}>{knows ? "knows the owner" : "does not know"}</span>
      </h3>
      <p class="safe-text private tone">{fact}</p>
      <p class="line message" style={{ "--speaking": (0.35 + 0.65 * speaking).toFixed(2) }}>
        <span class="soft small">{silent ? "silent" : "says"}</span>{" "}
        {silent
          ? last && <i class="soft safe-text">{`said at step ${last.step}: “${last.text}”`}</i>
          : [
              <span key="text" class="safe-text words">
                {text}
              </span>,
              <span key="tokens" class="soft small last">
                {counted(tokens, "token")}
              </span>,
            ]}
      </p>
      <Bars
        tone={knows ? "good" : ""}
        heights={own.map((message) => (message.silent ? 0 : message.tokens / most))}
        label={(count, steps) => `Tokens of teller ${agent}, step by step: silent at ${steps - count} of ${steps}`}
      />
    </li>
  );
}

interface BarsProps {
  readonly tone: string;
  /** 0 to 1. */
  readonly heights: readonly number[];
  readonly label: (count: number, steps: number) => string;
}

/** A dot means zero. */
function Bars({ tone, heights, label }: BarsProps) {
  const shown = heights.slice(-shownSteps);
  return (
    <svg
      class={`bars ${tone}`}
      viewBox={`0 0 ${shownSteps * 4} 22`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label(shown.filter((height) => height > 0).length, shown.length)}
    >
      {shown.map((height, i) => (
        <rect
          key={i}
          class={height > 0 ? "" : "none"}
          {...{ x: i * 4, width: 3, y: height > 0 ? 20 - 18 * height : 19, height: height > 0 ? 18 * height : 1.5 }}
        />
      ))}
    </svg>
  );
}

function Verdict({ conversation: { right, answer } }: { conversation: Conversation }) {
  const text = right ? "✓ right" : answer === null ? "✗ no answer" : "✗ wrong";
  return <b class={`tone number ${right ? "good" : "bad"}`}>{text}</b>;
}

export function ConversationView({ conversation, label }: { conversation: Conversation; label: string }) {
  const { turns, question, gold, tokens } = conversation;
  const isStory = useContext(Level) === "tellers";
  const font = isStory ? "" : "mono";
  return (
    <div class="conversation">
      <p class="line">
        <span>
          {isStory ? "Whose is the" : "Asked:"} <b class={font}>{question}</b>{" "}
          <span class="soft small">{isStory ? `(${gold}'s)` : `= ${gold}`}</span>
        </span>
        <Verdict conversation={conversation} />
        <span class="soft small number last">{tokens} tokens</span>
      </p>
      <ol class={`list turns ${isStory ? "long" : ""}`} aria-label={label}>
        {turns.map(({ agent, fact, knows, read, text, silent, tokens: written }) => (
          <li key={agent}>
            <b>{agent}</b>
            {fact !== null ? (
              <span class="knows">
                <span class="soft small">{knows === undefined ? "knows" : "reads"}</span>{" "}
                <span class={`safe-text private said ${font}`}>{fact}</span>
              </span>
            ) : (
              <span class="reads">
                <span class="soft small">reads</span> {read.length === 0 && "nothing"}
                {read.map((message) => (
                  <span key={message.from} class={`safe-text read said ${font}`}>
                    {message.text}
                  </span>
                ))}
              </span>
            )}
            <span class={`line writes ${silent ? "soft" : ""}`}>
              <span class="soft small">writes</span>{" "}
              {silent ? "nothing" : <span class={`safe-text wrote said ${font}`}>{text === "" ? " " : text}</span>}
              <span class="soft small number last">{written}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
