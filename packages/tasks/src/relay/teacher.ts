import { LaconicError, randomFromState, type LanguageModel, type Random } from "@laconic/core";
import { askedKeys, parseFacts, relaySolver, type RelayLevel } from "./problem.ts";
import { readRelayPrompt, type RelayPrompt } from "./prompts.ts";
import { relayTokenizer } from "./tokenizer.ts";

/** `verbose` "the value of k is 6", `short` "k is 6", `terse` "k6". */
export type RelayStyle = "verbose" | "short" | "terse";

/** Probability of each style; they add up to 1. */
export type RelayStyleMix = Readonly<Record<RelayStyle, number>>;

/** How the teacher words what the first policy learns to say. */
export interface RelayTeacherSettings {
  /** How a holder words a fact it is asked for. */
  readonly messages: RelayStyleMix;
  /** How the solver words its answer. */
  readonly answers: RelayStyleMix;
  /** Probability that a holder with nothing to add is silent instead of saying so. */
  readonly silence: number;
}

/** A verbose team that is sometimes brief, so that a policy can discover short and silent messages. */
export const relayTeacherSettings: RelayTeacherSettings = {
  messages: { verbose: 0.6, short: 0.3, terse: 0.1 },
  answers: { verbose: 0.4, short: 0.3, terse: 0.3 },
  silence: 0.15,
};

/** A holder's message: its asked fact, or that it has none, or nothing. */
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

/** The solver's answer to messages in any of the styles; silent when a value is missing. */
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
 * The scripted teacher as a model for every agent: always right, and as talkative as its settings say.
 * @throws LaconicError `config_invalid` for settings that are no probabilities
 */
export function relayTeacher(settings: RelayTeacherSettings = relayTeacherSettings): LanguageModel {
  const isMix = (mix: RelayStyleMix): boolean =>
    Object.values(mix).every((share) => share >= 0) && Math.abs(mix.verbose + mix.short + mix.terse - 1) < 1e-9;
  for (const name of ["messages", "answers"] as const)
    if (!isMix(settings[name]))
      throw new LaconicError("config_invalid", `teacher ${name}: probabilities of styles must add up to 1`, { name });
  if (!(settings.silence >= 0 && settings.silence <= 1))
    throw new LaconicError("config_invalid", `teacher silence must be a probability, not ${settings.silence}`);
  return scriptedAgent("relay-teacher", ({ agent, question, facts, messages }, random) =>
    agent === relaySolver
      ? teacherAnswer(question, messages, random, settings)
      : teacherMessage(facts, question, random, settings),
  );
}

/** A language model that plays every relay agent by a rule; its tokens are counted as a policy's are. */
export function scriptedAgent(id: string, reply: (prompt: RelayPrompt, random: Random) => string): LanguageModel {
  return {
    id,
    async complete({ prompt, sampling, random, signal }) {
      if (signal?.aborted) throw new LaconicError("aborted", "the request was aborted", {}, signal.reason);
      if (prompt.kind !== "tokens")
        throw new LaconicError("input_invalid", `${id} reads relay tokens, not a prompt of kind "${prompt.kind}"`);
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
 * Least mean tokens per episode of any team that is always right.
 *
 * Every agent writes an end token. Fix one asked value: the ten values of the other give ten different sums, so its
 * holder needs ten different messages, of which only one can be empty: 0.9 tokens each at least. A holder without an
 * asked fact needs none. The answer is the digits of a sum of two uniform digits: 1.45 on average.
 */
export function relayOracleTokens(level: RelayLevel): number {
  return level.holders + 1 + 2 * 0.9 + 1.45;
}
