import type { AgentId, Problem, Random, TrainingSequence } from "@laconic/core";
import { holdersOf, relaySolver } from "./levels.ts";
import type { WarmStartPhase } from "./curriculum.ts";
import { generateRelayProblem } from "./problem.ts";
import { holderPrompt, solverPrompt } from "./prompts.ts";
import { teacherAnswer, teacherMessage } from "./teacher.ts";
import { relayTokenizer } from "./tokenizer.ts";

/** What the teacher says to one prompt; the end token closes `completionTokens`. */
export interface WarmStartExample extends TrainingSequence {
  readonly agent: AgentId;
}

/** One training problem taught to every agent, holders first. The solver hears messages of the phase's `heard` mix. */
export function warmStartExamples(phase: WarmStartPhase, random: Random): WarmStartExample[] {
  const problem = generateRelayProblem(phase.level, random, "train");
  const holders = holdersOf(phase.level).map((agent) => holderExample(phase, problem, agent, random));
  return [...holders, solverExample(phase, problem, random)];
}

/** `size` examples, each of a problem of its own: a holder and the solver in turn, so that both get half of the batch. */
export function warmStartBatch(phase: WarmStartPhase, size: number, random: Random): WarmStartExample[] {
  return Array.from({ length: size }, (_, index) => {
    const problem = generateRelayProblem(phase.level, random, "train");
    return index % 2 === 0
      ? holderExample(phase, problem, random.pick(holdersOf(phase.level)), random)
      : solverExample(phase, problem, random);
  });
}

function holderExample(
  { spoken }: WarmStartPhase,
  { question, views }: Problem,
  agent: AgentId,
  random: Random,
): WarmStartExample {
  const facts = views?.[agent] ?? "";
  return example(agent, holderPrompt(agent, facts, question), teacherMessage(facts, question, random, spoken));
}

function solverExample(
  { level, spoken, received: heard }: WarmStartPhase,
  { question, views }: Problem,
  random: Random,
): WarmStartExample {
  const messages = holdersOf(level).map((agent) => teacherMessage(views?.[agent] ?? "", question, random, heard));
  const answer = teacherAnswer(question, messages, random, spoken);
  return example(relaySolver, solverPrompt(question, messages), answer);
}

function example(agent: AgentId, promptTokens: readonly number[], text: string): WarmStartExample {
  return { agent, promptTokens, completionTokens: [...relayTokenizer.encode(text), relayTokenizer.endToken] };
}
