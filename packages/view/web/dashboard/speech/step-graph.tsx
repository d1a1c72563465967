import { useMemo } from "preact/hooks";
import type { Speech, SpeechStep } from "../../../src/protocol.ts";
import { AgentGraph } from "../../parts/agent-graph.tsx";
import { answererOf } from "./answerer.ts";

interface StepGraphProps {
  readonly speech: Speech;
  /** The one that is shown. */
  readonly step: SpeechStep;
  /** Where the page says the same in words. */
  readonly elsewhere: string;
}

/** Who speaks to whom at a step of training. */
export function StepGraph({ speech, step, elsewhere }: StepGraphProps) {
  const { agents, steps } = speech;
  const answerer = useMemo(() => answererOf(speech), [speech]);
  // One scale for all steps: lines that grow thin are the point.
  const widest = useMemo(
    () => steps.reduce((max, { edges }) => edges.reduce((own, { tokens }) => Math.max(own, tokens), max), 0),
    [steps],
  );
  return (
    <AgentGraph
      agents={agents}
      costs={step}
      written={step.written}
      silence={step.silence}
      widestTokens={widest}
      elsewhere={elsewhere}
      {...(answerer !== null && { answerer })}
    />
  );
}
