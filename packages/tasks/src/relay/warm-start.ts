import type { AgentId, Problem, Random, TrainingSequence } from "@laconic/core";
import { generateRelayProblem, holdersOf, relaySolver, type RelayLevel } from "./problem.ts";
import { holderPrompt, solverPrompt } from "./prompts.ts";
import { relayTeacherSettings, teacherAnswer, teacherMessage, type RelayTeacherSettings } from "./teacher.ts";
import { relayTokenizer } from "./tokenizer.ts";

/** Phase of the warm start, as plain data. */
export interface WarmStartPhase {
  readonly name: string;
  /** Share of all warm-start steps; the sum is 1. */
  readonly share: number;
  readonly level: RelayLevel;
  /** Wording of targets. */
  readonly spoken: RelayTeacherSettings;
  /** Wording of messages that the solver reads. */
  readonly received: RelayTeacherSettings;
}

/**
 * Warm-start curriculum from random weights. Direct training suffices for one fact per holder. More facts need a
 * lookup, which easier words hide: start with one fact, then terse wording.
 */
export function warmStartCurriculum(level: RelayLevel): readonly WarmStartPhase[] {
  const full: WarmStartPhase = {
    name: "all-styles",
    share: 1,
    level,
    spoken: relayTeacherSettings,
    // Mixed styles and silence prepare the solver for terse holders.
    received: { ...relayTeacherSettings, messages: { verbose: 1 / 3, short: 1 / 3, terse: 1 / 3 }, silence: 0.5 },
  };
  if (level.factsPerHolder === 1) return [full];
  // A wrong lookup costs two of three tokens here, two of twenty in sentences.
  const terse = { ...relayTeacherSettings, messages: { verbose: 0, short: 0, terse: 1 } };
  return [
    { ...full, name: "one-fact-terse", share: 0.2, level: { ...level, factsPerHolder: 1 }, spoken: terse },
    { ...full, name: "terse", share: 0.5, spoken: terse },
    { ...full, share: 0.3 },
  ];
}

/** A teacher's reply to one prompt; `completionTokens` includes the end token. */
export interface WarmStartExample extends TrainingSequence {
  readonly agent: AgentId;
}

/** Returns `size` different problems, alternately for a holder and the solver. */
export function warmStartBatch(phase: WarmStartPhase, size: number, random: Random): WarmStartExample[] {
  return Array.from({ length: size }, (_, index) => {
    const problem = generateRelayProblem(phase.level, random);
    const agent = index % 2 === 0 ? random.pick(holdersOf(phase.level)) : relaySolver;
    return warmStartExample(phase, problem, agent, random);
  });
}

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
