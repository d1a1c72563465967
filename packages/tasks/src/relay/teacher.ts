import { configError, inputError, LaconicError, randomFromState } from "@laconic/core";
import type { AgentId, LanguageModel, Problem, Random, TrainingSequence } from "@laconic/core";
import { askedKeys, parseFacts, relaySolver, type RelayLevel, generateRelayProblem, holdersOf } from "./problem.ts";
import { readRelayPrompt, type RelayPrompt, holderPrompt, solverPrompt } from "./prompts.ts";
import { relayTokenizer } from "./tokenizer.ts";

/** `verbose` "the value of k is 6", `short` "k is 6", `terse` "k6". */
export type RelayStyle = "verbose" | "short" | "terse";

/** Probabilities with sum 1. */
export type RelayStyleMix = Readonly<Record<RelayStyle, number>>;

/** Wording of the teacher. */
export interface RelayTeacherSettings {
  readonly messages: RelayStyleMix;
  readonly answers: RelayStyleMix;
  /** Probability of silence without a requested fact. */
  readonly silence: number;
}

/** Mostly verbose, so that a policy can discover short and silent messages. */
export const relayTeacherSettings: RelayTeacherSettings = {
  messages: { verbose: 0.6, short: 0.3, terse: 0.1 },
  answers: { verbose: 0.4, short: 0.3, terse: 0.3 },
  silence: 0.15,
};

/** Requested fact, "nothing", or silence. */
export function teacherMessage(
  facts: string,
  question: string,
  random: Random,
  settings: RelayTeacherSettings,
): string {
  const asked = askedKeys(question);
  const fact = parseFacts(facts).find(({ key }) => asked.includes(key));
  if (fact === undefined) return random.uniform() < settings.silence ? "" : "i have nothing for this one";
  const { key, value } = fact;
  return drawStyle(settings.messages, random, {
    verbose: `the value of ${key} is ${value}`,
    short: `${key} is ${value}`,
    terse: `${key}${value}`,
  });
}

/** Silent if a value is missing. */
export function teacherAnswer(
  question: string,
  messages: readonly string[],
  random: Random,
  settings: RelayTeacherSettings,
): string {
  const facts = messages.flatMap((message) => parseFacts(message.replace(" is ", "")));
  const values = askedKeys(question).map((key) => facts.find((fact) => fact.key === key)?.value);
  if (values.includes(undefined)) return "";
  const sum = values.reduce<number>((total, value = 0) => total + value, 0);
  return drawStyle(settings.answers, random, {
    verbose: `the answer is ${sum}`,
    short: `it is ${sum}`,
    terse: `${sum}`,
  });
}

function drawStyle(mix: RelayStyleMix, random: Random, texts: Readonly<Record<RelayStyle, string>>): string {
  const draw = random.uniform();
  if (draw < mix.verbose) return texts.verbose;
  return draw < mix.verbose + mix.short ? texts.short : texts.terse;
}

/**
 * Scripted teacher for every agent: always right.
 * @throws LaconicError `config_invalid`
 */
export function relayTeacher(settings: RelayTeacherSettings = relayTeacherSettings): LanguageModel {
  const isMix = (mix: RelayStyleMix): boolean =>
    Object.values(mix).every((share) => share >= 0) && Math.abs(mix.verbose + mix.short + mix.terse - 1) < 1e-9;
  for (const name of ["messages", "answers"] as const)
    if (!isMix(settings[name]))
      throw configError(`teacher ${name}: probabilities of styles must add up to 1`, { name });
  if (!(settings.silence >= 0 && settings.silence <= 1))
    throw configError(`teacher silence must be a probability, not ${settings.silence}`);
  return scriptedAgent("relay-teacher", ({ agent, question, facts, messages }, random) =>
    agent === relaySolver
      ? teacherAnswer(question, messages, random, settings)
      : teacherMessage(facts, question, random, settings),
  );
}

/** Counts tokens as a policy does. */
export function scriptedAgent(id: string, reply: (prompt: RelayPrompt, random: Random) => string): LanguageModel {
  return {
    id,
    async complete({ prompt, sampling, random, signal }) {
      if (signal?.aborted) throw new LaconicError("aborted", "the request was aborted", {}, signal.reason);
      if (prompt.kind !== "tokens") throw inputError(`${id} reads relay tokens, not a prompt of kind "${prompt.kind}"`);
      const tokens = relayTokenizer.encode(reply(readRelayPrompt(prompt.tokens), randomFromState(random)));
      const isFinished = tokens.length < sampling.maxTokens;
      const written = isFinished ? [...tokens, relayTokenizer.endToken] : tokens.slice(0, sampling.maxTokens);
      return {
        text: relayTokenizer.decode(written),
        finishReason: isFinished ? "stop" : "length",
        usage: { promptTokens: prompt.tokens.length, completionTokens: written.length, counted: "model" },
        model: { id, weightVersion: 0 },
      };
    },
  };
}

/**
 * Lower bound on the mean tokens per episode of a team that is always right. Every agent writes an end token. A holder
 * of a requested value needs ten messages, only one of them empty: at least 0.9 tokens. The answer is the sum of two
 * uniform digits: 1.45 tokens on average.
 */
export function relayOracleTokens(level: RelayLevel): number {
  return level.holders + 1 + 2 * 0.9 + 1.45;
}

/** Phase of the warm start. */
export interface WarmStartPhase {
  readonly name: string;
  /** Share of all steps; the sum is 1. */
  readonly share: number;
  readonly level: RelayLevel;
  /** Wording of targets. */
  readonly spoken: RelayTeacherSettings;
  /** Wording of read messages. */
  readonly received: RelayTeacherSettings;
}

/**
 * Warm-start curriculum from random weights. More than one fact needs a lookup, which easier words hide: start with one
 * fact, then terse wording.
 */
export function warmStartCurriculum(level: RelayLevel): readonly WarmStartPhase[] {
  const full: WarmStartPhase = {
    name: "all-styles",
    share: 1,
    level,
    spoken: relayTeacherSettings,
    // Prepares the solver for terse holders.
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

/** Reply to one prompt; `completionTokens` includes the end token. */
export interface WarmStartExample extends TrainingSequence {
  readonly agent: AgentId;
}

/** Different problems, alternately for a holder and the solver. */
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
