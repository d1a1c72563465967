import { criticActor, solo, type AgentSpec } from "@laconic/topologies";
import type { FrozenActorTask } from "../frozen-actor-task.ts";
import { hintProbes } from "./hint-probes.ts";
import { evaluationSplits } from "../task.ts";
import { generateHintProblem, hintActorAgent, hintCollaborator } from "./hint-problem.ts";
import { extractRelayAnswer, relayGrader } from "./grader.ts";
import { solverPrompt } from "./prompts.ts";
import { relayMarks, relayTokenizer } from "./tokenizer.ts";
import { renderTokens, tokensPrompt } from "./token-prompt.ts";

/** Size of the relay world with a critic. */
export interface RelayCriticOptions {
  /** Most tokens of a comment, the end token included. Default 4: the shipped policy says more than that. */
  readonly commentTokens?: number;
  /** Test problems, and as many of validation; 200 when absent. */
  readonly testProblems?: number;
}

/** Settings of a {@link relayCriticTask} whose options leave them out. */
export const relayCriticDefaults: Required<RelayCriticOptions> = { commentTokens: 4, testProblems: 200 };

/**
 * The problems of `relay-hint` with a critic: the actor drafts an answer from what it knows, the critic reads question and
 * draft and knows the second value, the actor answers again having read the comment.
 */
export function relayCriticTask(options: RelayCriticOptions = {}): FrozenActorTask {
  const { commentTokens, testProblems } = { ...relayCriticDefaults, ...options };
  const actor: AgentSpec = {
    id: hintActorAgent,
    role: "actor",
    maxTokens: 20,
    prompt: ({ question, privateView = "", inbox }) => {
      const [known = "", also = ""] = privateView.split(" ");
      const comment = inbox.find(({ from }) => from === hintCollaborator)?.text ?? "";
      return tokensPrompt(solverPrompt(question, [known, comment, also]));
    },
    renderPrompt: renderTokens,
  };
  const critic: AgentSpec = {
    id: hintCollaborator,
    role: "critic",
    maxTokens: commentTokens,
    // `A:e9?k+e|6>`: a holder's prompt with the draft's number behind the question.
    prompt: ({ question, privateView = "", inbox }) => {
      const draft = relayTokenizer.encode(extractRelayAnswer(inbox[0]?.text ?? "") ?? "");
      const { role, question: mark, next, reply } = relayMarks;
      const before = [role["holder-a"] as number, ...relayTokenizer.encode(privateView), mark];
      return tokensPrompt([...before, ...relayTokenizer.encode(question), next, ...draft, reply]);
    },
    renderPrompt: renderTokens,
  };
  const facts = { distractors: 0, actorReads: "own" } as const;
  return {
    name: "relay-critic",
    topology: criticActor(actor, critic),
    actorAlone: solo(actor, "relay-critic/actor-alone"),
    trainedAgents: [hintCollaborator],
    tokenizer: relayTokenizer,
    grader: relayGrader,
    probes: hintProbes,
    problems: (random, count) => Array.from({ length: count }, () => generateHintProblem(facts, random, "train")),
    ...evaluationSplits(testProblems, "relay-critic", (random) => generateHintProblem(facts, random, "evaluation")),
  };
}
