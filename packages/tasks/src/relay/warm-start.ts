import type { AgentId, Problem, Random, TrainingSequence } from "@laconic/core";
import { generateRelayProblem, holdersOf, relaySolver, type RelayLevel } from "./problem.ts";
import { holderPrompt, solverPrompt } from "./prompts.ts";
import { relayTeacherSettings, teacherAnswer, teacherMessage, type RelayTeacherSettings } from "./teacher.ts";
import { relayTokenizer } from "./tokenizer.ts";

/** A part of the warm start: what is taught and how it is worded. Plain data. */
export interface WarmStartPhase {
  readonly name: string;
  /** Share of all warm-start steps; the shares of a curriculum add up to 1. */
  readonly share: number;
  /** Level of the problems; an early phase may have fewer facts. */
  readonly level: RelayLevel;
  /** Wording of the taught messages and answers. */
  readonly spoken: RelayTeacherSettings;
  /** Wording of the messages that the solver reads. */
  readonly received: RelayTeacherSettings;
}

/**
 * How to teach a level from random weights. One fact per holder is learned at once. With more, the lookup of the
 * asked key is hidden behind the easier words of a sentence, so it is taught first with one fact, then with terse wording.
 */
export function warmStartCurriculum(level: RelayLevel): readonly WarmStartPhase[] {
  const full: WarmStartPhase = {
    name: "all-styles",
    share: 1,
    level,
    spoken: relayTeacherSettings,
    // All styles alike and frequent silence: the solver understands terse holders before any holder is terse.
    received: { ...relayTeacherSettings, messages: { verbose: 1 / 3, short: 1 / 3, terse: 1 / 3 }, silence: 0.5 },
  };
  if (level.factsPerHolder === 1) return [full];
  // Bare facts: a wrong lookup costs two of three tokens instead of two of twenty.
  const terse = { ...relayTeacherSettings, messages: { verbose: 0, short: 0, terse: 1 } };
  return [
    { ...full, name: "one-fact-terse", share: 0.2, level: { ...level, factsPerHolder: 1 }, spoken: terse },
    { ...full, name: "terse", share: 0.5, spoken: terse },
    { ...full, share: 0.3 },
  ];
}

/** What the teacher says to one prompt; the end token closes `completionTokens`. */
export interface WarmStartExample extends TrainingSequence {
  readonly agent: AgentId;
}

/** `size` examples of different problems: a holder and the solver in turn, so that both get half of the batch. */
export function warmStartBatch(phase: WarmStartPhase, size: number, random: Random): WarmStartExample[] {
  return Array.from({ length: size }, (_, index) => {
    const problem = generateRelayProblem(phase.level, random);
    const agent = index % 2 === 0 ? random.pick(holdersOf(phase.level)) : relaySolver;
    return warmStartExample(phase, problem, agent, random);
  });
}

/** The example of one agent. */
export function warmStartExample(
  { level, spoken, received }: WarmStartPhase,
  { question, views = {} }: Problem,
  agent: AgentId,
  random: Random,
): WarmStartExample {
  const example = (promptTokens: readonly number[], text: string): WarmStartExample => ({
    agent,
    promptTokens,
    completionTokens: [...relayTokenizer.encode(text), relayTokenizer.endToken],
  });
  if (agent !== relaySolver) {
    const facts = views[agent] ?? "";
    return example(holderPrompt(agent, facts, question), teacherMessage(facts, question, random, spoken));
  }
  const messages = holdersOf(level).map((holder) => teacherMessage(views[holder] ?? "", question, random, received));
  return example(solverPrompt(question, messages), teacherAnswer(question, messages, random, spoken));
}
