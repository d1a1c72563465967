import type { AgentId } from "@laconic/core";
import {
  type AgentSpec,
  criticActor,
  criticPrompt,
  hintActor,
  hintedActorPrompt,
  hintPrompt,
  type PromptTemplate,
  revisingActorPrompt,
} from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { allFamilies, benchmarkLine, noShots, type Phase, type Protocol } from "../protocols/protocol.ts";

const flow = {
  version: 2,
  families: allFamilies,
  source: "AgentPO (ICLR 2026), before training",
  published: null,
  temperature: 0,
  shots: noShots,
  answerLine: benchmarkLine,
  stops: { kind: "fixed" },
  votes: { kind: "last" },
  labels: { hears: "S", calls: "S" },
} as const satisfies Partial<Protocol>;

/** AgentPO's hint flow. */
const hintProtocols: readonly Protocol<"hint" | "answer">[] = [
  {
    ...flow,
    id: "hint/untrained",
    roles: [
      { slot: "collaborator", duty: "says what is asked, what matters and what is easily missed" },
      { slot: "actor" },
    ],
    phases: { hint: {}, answer: {} },
    prompts: ["The prompts of the team that is trained.", "The hint stands in brackets behind the question."],
    hears: "The actor reads the hint.",
    partition: { kind: "among", slots: ["collaborator", "actor"] },
    calls: { least: 2, most: 2 },
    differs: [],
  },
];

/** AgentPO's critic flow. */
const criticProtocols: readonly Protocol<"critique" | "answer">[] = [
  {
    ...flow,
    id: "critic/untrained",
    version: 3,
    roles: [{ slot: "actor" }, { slot: "critic", duty: "points out errors and gaps" }],
    phases: { critique: {}, answer: {} },
    prompts: ["The prompts of the team that is trained.", "The critic writes no solution of its own."],
    hears: "The critic reads the draft; the actor reads its draft and the criticism.",
    partition: { kind: "among", slots: ["actor", "critic"] },
    calls: { least: 3, most: 3 },
    differs: [],
  },
];

/** An agent of a graph that is asked by a template, at the settings of one kind of call. */
function agentForPhase(
  id: AgentId,
  { id: role, render }: PromptTemplate,
  phase: Phase,
  options: BaselineOptions,
): AgentSpec {
  return { id, role, prompt: render, maxTokens: phaseSettings(phase, options).maxTokens };
}

/** AgentPO's pair before training: the very prompts of the team that is trained. */
export const untrainedHint: Baseline = methodOf({
  name: "hint",
  title: "Hint-Actor, untrained",
  protocols: hintProtocols,
  create: ({ phases }, options) =>
    hintActor(
      agentForPhase("collaborator", hintPrompt, phases.hint, options),
      agentForPhase("actor", hintedActorPrompt(options.answerForm), phases.answer, options),
    ),
  maxCopies: () => ({ questions: 2, examples: 0, replies: 1 }),
});

/** AgentPO's other pair before training: the very prompts of the team that is trained. */
export const untrainedCritic: Baseline = methodOf({
  name: "critic",
  title: "Critic-Actor, untrained",
  protocols: criticProtocols,
  create: ({ phases }, options) =>
    criticActor(
      agentForPhase("actor", revisingActorPrompt(options.answerForm), phases.answer, options),
      agentForPhase("critic", criticPrompt, phases.critique, options),
    ),
  maxCopies: () => ({ questions: 3, examples: 0, replies: 3 }),
});
