import { formatPercent } from "@laconic/core/text";
import { useEffect, useRef, useState } from "preact/hooks";
import { AgentGraph, type TravellingMessage } from "../parts/agent-graph.tsx";
import { Panel } from "../parts/elements.tsx";
import type { GraphNote, PriceWords } from "../parts/graph-labels.ts";
import { ConversationView } from "./conversation-view.tsx";
import type { Conversation, TeamState } from "./worker/messages.ts";

type Phase = "holders" | "solver" | "over";

/** Milliseconds. */
const lasting: Readonly<Record<Phase, number>> = { holders: 1500, solver: 1500, over: 1300 };

const ofRightAnswer: PriceWords = {
  format: (cost) => (cost < 0.0005 ? "< 0.1 %" : formatPercent(cost)),
  exact: (cost) => (cost < 0.00005 ? "< 0.01 %" : formatPercent(cost, 2)),
  unit: "in % of a right answer",
};

export function Stage({ team, episode, step }: { team: TeamState; episode: Conversation; step: number }) {
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
        {...{ travelling, notes }}
        costs={team}
        written={team.written}
        silence={team.silence}
        answerer={solver}
        prices={ofRightAnswer}
        {...(phase === "solver" && { activeAgent: solver })}
      />
      <ConversationView conversation={shown} label="One of its conversations" />
    </Panel>
  );
}

/** Plays conversations in sequence; drops all but the newest waiting one. */
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
