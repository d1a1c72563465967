import { configError, type Problem, type Random } from "@laconic/core";
import { criticActor, hintActor, type AgentSpec } from "@laconic/topologies";
import { evaluationSplits, type GradedTask } from "../task.ts";
import { drawUntil, isKept, letters } from "./problem.ts";
import { holderPrompt, renderTokens, solverPrompt, tokensPrompt } from "./prompts.ts";
import { extractRelayAnswer, relayGrader } from "./task.ts";
import { relayMarks, relayTokenizer } from "./tokenizer.ts";

export const collaborator = "collaborator";
const actor = "actor";

/** Settings of {@link relayHintTask}. */
export interface RelayHintOptions {
  /** Distractor facts of the collaborator. Default 0. */
  readonly distractors?: number;
  /** Max tokens with end token. Default 4, fewer than the shipped policy writes. */
  readonly hintTokens?: number;
  /** Max tokens with end token. Default 20, more than the policy needs. */
  readonly actorTokens?: number;
  /** Its own facts (default), or also the collaborator's. */
  readonly actorReads?: "own" | "everything";
  /** The collaborator (default), or the actor for comparison. */
  readonly learns?: "collaborator" | "actor";
  readonly testProblems?: number;
}

export const relayHintDefaults: Required<RelayHintOptions> = {
  distractors: 0,
  hintTokens: 4,
  actorTokens: 20,
  actorReads: "own",
  learns: "collaborator",
  testProblems: 200,
};

/**
 * A policy learns to help a frozen actor, which alone is right in half of the problems.
 * @throws LaconicError `config_invalid`
 */
export function relayHintTask(options: RelayHintOptions = {}): GradedTask {
  const settings = { ...relayHintDefaults, ...options };
  const { distractors, hintTokens, actorTokens, learns, testProblems } = settings;
  if (!Number.isInteger(distractors) || distractors < 0 || distractors > 8)
    throw configError(`distractors is ${distractors}, expected 0 to 8`, { distractors });
  const helper: AgentSpec = {
    id: collaborator,
    role: "hint",
    maxTokens: hintTokens,
    prompt: ({ question, privateView = "" }) => tokensPrompt(holderPrompt("holder-a", privateView, question)),
    renderPrompt: renderTokens,
  };
  return {
    name: "relay-hint",
    topology: hintActor(helper, actorSpec(actorTokens)),
    trainedAgents: [learns],
    ...problemsOf("relay-hint", settings, testProblems),
  };
}

/** Settings of {@link relayCriticTask}. */
export interface RelayCriticOptions {
  /** Max tokens with end token. Default 4. */
  readonly commentTokens?: number;
  readonly testProblems?: number;
}

export const relayCriticDefaults: Required<RelayCriticOptions> = { commentTokens: 4, testProblems: 200 };

/** The actor drafts, a critic with the second value comments, the actor answers again. */
export function relayCriticTask(options: RelayCriticOptions = {}): GradedTask {
  const { commentTokens, testProblems } = { ...relayCriticDefaults, ...options };
  const critic: AgentSpec = {
    id: collaborator,
    role: "critic",
    maxTokens: commentTokens,
    // `A:e9?k+e|6>`, with the draft's number after the question.
    prompt: ({ question, privateView = "", inbox }) => {
      const draft = relayTokenizer.encode(extractRelayAnswer(inbox[0]?.text ?? "") ?? "");
      const asked = holderPrompt("holder-a", privateView, question).slice(0, -1);
      return tokensPrompt([...asked, relayMarks.next, ...draft, relayMarks.reply]);
    },
    renderPrompt: renderTokens,
  };
  return {
    name: "relay-critic",
    topology: criticActor(actorSpec(relayHintDefaults.actorTokens), critic),
    trainedAgents: [collaborator],
    ...problemsOf("relay-critic", { distractors: 0, actorReads: "own" }, testProblems),
  };
}

function actorSpec(maxTokens: number): AgentSpec {
  return {
    id: actor,
    role: "actor",
    maxTokens,
    prompt: ({ question, privateView = "", inbox }) => {
      const [fact = "", ...others] = privateView.split(" ");
      const message = inbox.find(({ from }) => from === collaborator)?.text ?? "";
      return tokensPrompt(solverPrompt(question, [fact, message, ...(others.length > 0 ? others : [""])]));
    },
    renderPrompt: renderTokens,
  };
}

type Facts = Pick<Required<RelayHintOptions>, "distractors" | "actorReads">;

function problemsOf(
  seed: string,
  facts: Facts,
  count: number,
): Omit<GradedTask, "name" | "topology" | "trainedAgents"> {
  return {
    tokenizer: relayTokenizer,
    grader: relayGrader,
    problems: (random, size) => Array.from({ length: size }, () => drawHintProblem(facts, random, false)),
    ...evaluationSplits(count, seed, (random) => drawHintProblem(facts, random, true)),
  };
}

/** The actor knows the first value, and in half of the problems the second. */
function drawHintProblem({ distractors, actorReads }: Facts, random: Random, isForEvaluation: boolean): Problem {
  const draw = (): Problem => {
    const [first, second, ...others] = random.shuffle(letters).slice(0, 2 + distractors) as [
      string,
      string,
      ...string[],
    ];
    const [a, b] = [random.integer(10), random.integer(10)];
    const distracting = others.map((key) => `${key}${random.integer(10)}`);
    const held = random.shuffle([`${second}${b}`, ...distracting]);
    const knowsBoth = actorReads === "own" && random.uniform() < 0.5;
    const also = actorReads === "everything" ? held : knowsBoth ? [`${second}${b}`] : [];
    const views = { actor: [`${first}${a}`, ...also].join(" "), collaborator: held.join(" ") };
    const question = `${first}+${second}`;
    return { id: `relay-hint:${views.actor}|${views.collaborator}?${question}`, question, gold: String(a + b), views };
  };
  return drawUntil(draw, (problem) => isKeptHint(problem) === isForEvaluation);
}

export function isKeptHint({ id }: Problem): boolean {
  return isKept(`relay-hint split ${id}`);
}
