import { formatPercent } from "@laconic/core/text";
import { useEffect, useRef, useState, useContext } from "preact/hooks";
import type { TeamSpeech } from "../../src/protocol.ts";
import { AgentGraph, type TravellingMessage } from "../parts/agent-graph.tsx";
import { Panel } from "../parts/elements.tsx";
import type { GraphNote, PriceWords } from "../parts/graph-labels.ts";
import { levelTexts, Level } from "./level.ts";
import type { Conversation } from "./worker/messages.ts";

type Phase = "holders" | "solver" | "over";

/** Milliseconds. */
const lasting: Readonly<Record<Phase, number>> = { holders: 1500, solver: 1500, over: 1300 };

const ofRightAnswer: PriceWords = {
  format: (cost) => (cost < 0.0005 ? "< 0.1 %" : formatPercent(cost)),
  exact: (cost) => (cost < 0.00005 ? "< 0.01 %" : formatPercent(cost, 2)),
  unit: "in % of a right answer",
};

interface StageProps {
  readonly team: TeamSpeech;
  readonly episode: Conversation;
  readonly step: number;
  readonly isWarmingUp: boolean;
}

/** A conversation of the step on the team's graph. */
export function Stage({ team, episode, step, isWarmingUp }: StageProps) {
  const { shown, phase } = usePlayback(episode);
  const level = useContext(Level);
  const { turns, question } = shown;
  const solver = turns.at(-1)?.agent ?? "solver";
  const travelling = turns.flatMap(({ agent, text, silent }): TravellingMessage[] =>
    phase === "holders" && agent !== solver ? [{ from: agent, to: solver, text, silent }] : [],
  );
  const notes = Object.fromEntries(
    turns.map(({ agent, fact, knows, text, silent }): [string, GraphNote] => {
      if (knows !== undefined)
        return [agent, knows ? { text: "knows the owner", kind: "private" } : { text: "does not know", kind: "plain" }];
      if (fact !== null) return [agent, { text: `knows ${fact}`, kind: "private" }];
      if (phase === "holders") return [agent, { text: `asked for ${question}`, kind: "plain" }];
      return [agent, { text: silent ? "silent" : `writes “${text.trim()}”`, kind: silent ? "plain" : "wrote" }];
    }),
  );
  const title = isWarmingUp
    ? "Warm start: the model learns to name owners"
    : step === 0
      ? levelTexts[level].before
      : `The team at step ${step}`;
  return (
    <Panel
      kind="stage"
      title={
        <>
          {title} <span class="soft small">{levelTexts[level].shown}</span>
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
