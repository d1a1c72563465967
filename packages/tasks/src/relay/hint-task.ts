import { LaconicError, type Problem, type Random } from "@laconic/core";
import { hintActor, solo, type AgentSpec } from "@laconic/topologies";
import { hintProbes } from "./hint-probes.ts";
import { evaluationSplits } from "../task.ts";
import type { FrozenActorTask } from "../frozen-actor-task.ts";
import { relayGrader } from "./grader.ts";
import { holderPrompt, solverPrompt } from "./prompts.ts";
import { renderTokens, tokensPrompt } from "./token-prompt.ts";
import { relayTokenizer } from "./tokenizer.ts";
import { generateHintProblem, hintActorAgent, hintCollaborator, type ActorReads } from "./hint-problem.ts";

/** Size of the relay world with a hint, and who learns in it. */
export interface RelayHintOptions {
  /** Facts that nobody asks for, beside the one that the collaborator should tell. Default 0. */
  readonly distractors?: number;
  /** Most tokens of a hint, the end token included. Default 4: the shipped policy says more than that. */
  readonly hintTokens?: number;
  /** Most tokens of the actor's answer, the end token included. Default 20, which the shipped policy never needs. */
  readonly actorTokens?: number;
  /** What the actor reads beside the hint: facts of its own (default), or also those that the collaborator reads. */
  readonly actorReads?: ActorReads;
  /** Who learns: AgentPO's collaborator, or for comparison the actor, behind a collaborator that stays as it is. */
  readonly learns?: "collaborator" | "actor";
  /** Test problems, and as many of validation; 200 when absent. */
  readonly testProblems?: number;
}

/** Settings of a {@link relayHintTask} whose options leave them out. */
export const relayHintDefaults: Required<RelayHintOptions> = {
  distractors: 0,
  hintTokens: 4,
  actorTokens: 20,
  actorReads: "own",
  learns: "collaborator",
  testProblems: 200,
};

/**
 * A variant of the relay in which a policy learns to help an actor that does not learn. The actor understands hints as
 * they are said in the relay and answers right alone in little more than half of the problems; garbled hints mislead it.
 * @throws LaconicError `config_invalid` for a number of distractors that leaves no keys
 */
export function relayHintTask(options: RelayHintOptions = {}): FrozenActorTask {
  const { distractors, hintTokens, actorTokens, actorReads, learns, testProblems } = {
    ...relayHintDefaults,
    ...options,
  };
  if (!Number.isInteger(distractors) || distractors < 0 || distractors > 8)
    throw new LaconicError("config_invalid", `distractors is ${distractors}, expected 0 to 8`, { distractors });
  const actor: AgentSpec = {
    id: hintActorAgent,
    role: "actor",
    maxTokens: actorTokens,
    // What it knows itself stands around the hint, as messages of two others would.
    prompt: ({ question, privateView = "", inbox }) => {
      const [known = "", ...also] = privateView.split(" ");
      return tokensPrompt(solverPrompt(question, [known, inbox[0]?.text ?? "", ...(also.length > 0 ? also : [""])]));
    },
    renderPrompt: renderTokens,
  };
  const collaborator: AgentSpec = {
    id: hintCollaborator,
    role: "hint",
    maxTokens: hintTokens,
    prompt: ({ question, privateView = "" }) => tokensPrompt(holderPrompt("holder-a", privateView, question)),
    renderPrompt: renderTokens,
  };
  const draw = (random: Random, split: "train" | "evaluation"): Problem =>
    generateHintProblem({ distractors, actorReads }, random, split);
  return {
    name: "relay-hint",
    topology: hintActor(collaborator, actor),
    actorAlone: solo(actor, "relay-hint/actor-alone"),
    trainedAgents: [learns === "actor" ? hintActorAgent : hintCollaborator],
    tokenizer: relayTokenizer,
    grader: relayGrader,
    probes: hintProbes,
    problems: (random, count) => Array.from({ length: count }, () => draw(random, "train")),
    ...evaluationSplits(testProblems, "relay-hint", (random) => draw(random, "evaluation")),
  };
}
