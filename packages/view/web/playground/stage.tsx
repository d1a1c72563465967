import { formatPercent } from "@laconic/core/text";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { AgentGraph, type TravellingMessage } from "../parts/agent-graph.tsx";
import type { GraphNote, PriceWords } from "../parts/graph-words.ts";
import { ConversationView } from "./conversation-view.tsx";
import type { Conversation, TeamState } from "./worker/messages.ts";

/** Who is speaking in the conversation that is shown. */
type Phase = "holders" | "solver" | "over";

/** How long each lasts before the next, in milliseconds. */
const lasting: Readonly<Record<Phase, number>> = { holders: 1500, solver: 1500, over: 1300 };

interface StageProps {
  readonly team: TeamState;
  readonly episode: Conversation;
  readonly step: number;
}

const ofRightAnswer: PriceWords = {
  format: (cost) => (cost < 0.0005 ? "< 0.1 %" : formatPercent(cost)),
  exact: (cost) => (cost < 0.00005 ? "< 0.01 %" : formatPercent(cost, 2)),
  unit: "in % of a right answer",
};

/** The team at work: one conversation of the step, its messages on their way, and what was written. */
export function Stage({ team, episode, step }: StageProps): JSX.Element {
  const { shown, phase } = usePlayback(episode);
  const solver = shown.turns.at(-1)?.agent ?? "solver";
  const agents = shown.turns.map(({ agent }) => agent);
  const travelling = shown.turns.flatMap(({ agent, text, silent }): TravellingMessage[] =>
    phase === "holders" && agent !== solver ? [{ from: agent, to: solver, text, silent }] : [],
  );
  const notes = Object.fromEntries(
    shown.turns.map(({ agent, fact, text, silent }): [string, GraphNote] => {
      if (fact !== null) return [agent, { text: `knows ${fact}`, kind: "private" }];
      if (phase === "holders") return [agent, { text: `asked for ${shown.question}`, kind: "plain" }];
      return [agent, { text: silent ? "silent" : `writes “${text}”`, kind: silent ? "plain" : "wrote" }];
    }),
  );
  return (
    <section class="panel stage" aria-labelledby="stage-title">
      <h2 id="stage-title">
        {step === 0 ? "The team before training" : `The team at step ${step}`}{" "}
        <span class="soft small">tokens per episode</span>
      </h2>
      <AgentGraph
        {...{ agents, travelling, notes }}
        costs={team}
        written={team.written}
        silence={team.silence}
        answerer={solver}
        prices={ofRightAnswer}
        {...(phase === "solver" && { activeAgent: solver })}
      />
      <ConversationView conversation={shown} label="One of its conversations" />
    </section>
  );
}

/** Plays conversations one after the other; those that come meanwhile are left out, all but the last. */
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
