import { LaconicError, randomFromState, type LanguageModel, type Random } from "@laconic/core";
import { askedKeys, parseFacts, relaySolver, type RelayLevel } from "./problem.ts";
import { readRelayPrompt, type RelayPrompt } from "./prompts.ts";
import { relayTokenizer } from "./tokenizer.ts";

/** `verbose` "the value of k is 6", `short` "k is 6", `terse` "k6". */
export type RelayStyle = "verbose" | "short" | "terse";

/** Probability of each style; the sum is 1. */
export type RelayStyleMix = Readonly<Record<RelayStyle, number>>;

/** Wording of the teacher. */
export interface RelayTeacherSettings {
  readonly messages: RelayStyleMix;
  readonly answers: RelayStyleMix;
  /** Probability of silence without a requested fact. */
  readonly silence: number;
}

/** Mostly verbose wording, so that a policy can discover short and silent messages. */
export const relayTeacherSettings: RelayTeacherSettings = {
  messages: { verbose: 0.6, short: 0.3, terse: 0.1 },
  answers: { verbose: 0.4, short: 0.3, terse: 0.3 },
  silence: 0.15,
};

/** Message of a holder: its requested fact, "nothing", or silence. */
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

/** Answer to messages in any style; silent if a value is missing. */
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
 * Scripted teacher as a model for every agent: always right, as verbose as its settings.
 * @throws LaconicError `config_invalid` for invalid probabilities
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

/** Plays relay agents by a rule, and counts tokens as a policy does. */
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
 * Lower bound on the mean tokens per episode of a team that is always right.
 * Every agent writes an end token. If one requested value is fixed, the other's ten values give ten sums. Its holder
 * needs ten messages, only one of them empty: at least 0.9 tokens. Other holders need none. The answer is the sum of
 * two uniform digits: 1.45 tokens on average.
 */
export function relayOracleTokens(level: RelayLevel): number {
  return level.holders + 1 + 2 * 0.9 + 1.45;
}
