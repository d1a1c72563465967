import { LaconicError, type LanguageModel, type Random } from "@laconic/core";
import { relaySolver } from "./levels.ts";
import { askedKeys, parseFacts } from "./problem.ts";
import { scriptedAgent } from "./scripted-agent.ts";

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

/**
 * A chatty team that now and then is brief, so that short and silent messages have some probability to be found.
 * Messages and silence are those of the prototype; the answers' mix is a choice of ours.
 */
export const relayTeacherSettings: RelayTeacherSettings = {
  messages: { verbose: 0.6, short: 0.3, terse: 0.1 },
  answers: { verbose: 0.4, short: 0.3, terse: 0.3 },
  silence: 0.15,
};

/** A holder's message: its asked fact, or that it has none, or nothing at all. */
export function teacherMessage(
  facts: string,
  question: string,
  random: Random,
  settings: RelayTeacherSettings,
): string {
  const asked = askedKeys(question);
  const fact = parseFacts(facts).find(({ key }) => asked.includes(key));
  if (fact === undefined) return random.uniform() < settings.silence ? "" : "i have nothing for this one";
  const words: Readonly<Record<RelayStyle, string>> = {
    verbose: `the value of ${fact.key} is ${fact.value}`,
    short: `${fact.key} is ${fact.value}`,
    terse: `${fact.key}${fact.value}`,
  };
  return words[drawStyle(settings.messages, random)];
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
  const words: Readonly<Record<RelayStyle, string>> = {
    verbose: `the answer is ${sum}`,
    short: `it is ${sum}`,
    terse: `${sum}`,
  };
  return words[drawStyle(settings.answers, random)];
}

/** @throws LaconicError `config_invalid` when probabilities are out of range or a mix does not add up to 1. */
function checkTeacherSettings(settings: RelayTeacherSettings): void {
  for (const [name, mix] of [
    ["messages", settings.messages],
    ["answers", settings.answers],
  ] as const) {
    const sum = mix.verbose + mix.short + mix.terse;
    if (Object.values(mix).every((p) => p >= 0) && Math.abs(sum - 1) < 1e-9) continue;
    throw new LaconicError(
      "config_invalid",
      `teacher ${name}: style probabilities must be at least 0 and add up to 1, not ${sum}`,
      { name, sum },
    );
  }
  if (!(settings.silence >= 0 && settings.silence <= 1))
    throw new LaconicError("config_invalid", `teacher silence must be a probability, not ${settings.silence}`, {
      silence: settings.silence,
    });
}

function drawStyle(mix: RelayStyleMix, random: Random): RelayStyle {
  const u = random.uniform();
  if (u < mix.verbose) return "verbose";
  return u < mix.verbose + mix.short ? "short" : "terse";
}

/**
 * The scripted teacher as a model for every agent: always right, and as talkative as its settings say.
 * @throws LaconicError `config_invalid` when the settings are no probabilities.
 */
export function relayTeacher(settings: RelayTeacherSettings = relayTeacherSettings): LanguageModel {
  checkTeacherSettings(settings);
  return scriptedAgent("relay-teacher", ({ agent, question, facts, messages }, random) =>
    agent === relaySolver
      ? teacherAnswer(question, messages, random, settings)
      : teacherMessage(facts, question, random, settings),
  );
}
