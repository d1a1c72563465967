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
import { allFamilies, benchmarkLine, noShots, onContests, type Phase, type Protocol } from "../protocols/protocol.ts";
import { scriptedCritic, scriptedHint } from "./agentpo-prompts.ts";

/** As the released code asks: the collaborator's replies are shorter than the actor's. */
const [helping, answering] = [{ maxTokens: 768 }, { maxTokens: 2048 }] as const;

const flow = {
  version: 3,
  families: allFamilies,
  source: "AgentPO (ICLR 2026), before training",
  published: null,
  temperature: 0,
  shots: noShots,
  answerLine: benchmarkLine,
  stops: { kind: "fixed" },
  votes: { kind: "last" },
  labels: { temperature: "C", maxTokens: "C", prompts: "C", hears: "S", calls: "S" },
  differs: [
    "At which temperature the paper's collaborator speaks in a test is not stated: here it is 0, as the actor's.",
  ],
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
    phases: { hint: helping, answer: answering },
    scripts: onContests("agentpo-hint"),
    prompts: ["The prompts of the team that is trained.", "The hint stands in brackets behind the question."],
    hears: "The actor reads the hint.",
    partition: { kind: "among", slots: ["collaborator", "actor"] },
    calls: { least: 2, most: 2 },
  },
];

/** AgentPO's critic flow. */
const criticProtocols: readonly Protocol<"critique" | "answer">[] = [
  {
    ...flow,
    id: "critic/untrained",
    version: 4,
    roles: [{ slot: "actor" }, { slot: "critic", duty: "points out errors and gaps" }],
    phases: { critique: helping, answer: answering },
    scripts: onContests("agentpo-critic"),
    prompts: ["The prompts of the team that is trained.", "The critic writes no solution of its own."],
    hears: "The critic reads the draft; the actor reads its draft and the criticism.",
    partition: { kind: "among", slots: ["actor", "critic"] },
    calls: { least: 3, most: 3 },
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

/** AgentPO's pair before training: the released prompts where they are here, else those of the team that is trained. */
export const untrainedHint: Baseline = methodOf({
  name: "hint",
  title: "Hint-Actor, untrained",
  protocols: hintProtocols,
  create: ({ phases }, options) => {
    const { script, answerForm } = options;
    const prompts = script ? scriptedHint(script) : { hint: hintPrompt, actor: hintedActorPrompt(answerForm) };
    return hintActor(
      agentForPhase("collaborator", prompts.hint, phases.hint, options),
      agentForPhase("actor", prompts.actor, phases.answer, options),
    );
  },
  maxCopies: () => ({ questions: 2, examples: 0, replies: 1 }),
});

/** AgentPO's other pair before training. */
export const untrainedCritic: Baseline = methodOf({
  name: "critic",
  title: "Critic-Actor, untrained",
  protocols: criticProtocols,
  create: ({ phases }, options) => {
    const { script, answerForm } = options;
    const prompts = script ? scriptedCritic(script) : { actor: revisingActorPrompt(answerForm), critic: criticPrompt };
    return criticActor(
      agentForPhase("actor", prompts.actor, phases.answer, options),
      agentForPhase("critic", prompts.critic, phases.critique, options),
    );
  },
  maxCopies: () => ({ questions: 3, examples: 0, replies: 3 }),
});
