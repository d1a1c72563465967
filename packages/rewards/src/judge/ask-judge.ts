import { randomFromSeed, type ChatMessage, type LanguageModel } from "@laconic/core";
import { answerTo, withDeadline, type Ask, type Timer } from "../deadline.ts";
import { checkCount } from "../check-option.ts";

/** Settings of a judge model. */
export interface JudgeSettings {
  readonly model: LanguageModel;
  /** Max seconds without any answer. Default: no limit. */
  readonly deadline?: { readonly seconds: number; readonly timer: Timer };
  /** Attempts to get a readable verdict. Default 2. */
  readonly attempts?: number;
  /** Includes thoughts. Default 1024. */
  readonly maxTokens?: number;
  /** Max characters of each judged text; cuts are marked. Default 24,000. */
  readonly maxCharacters?: number;
  /** Size of the LRU cache; 0 disables it. Default 10,000. */
  readonly cached?: number;
}

/** Question with a parser; `read` returns null for an unreadable reply. */
export interface JudgeQuestion<T> {
  readonly key: string;
  readonly messages: readonly ChatMessage[];
  readonly form: string;
  read(reply: string): T | null;
}

/** Verdict, or why it is missing. */
export type Verdict<T> =
  | { readonly status: "judged"; readonly value: T }
  | { readonly status: "undecided"; readonly reason: string };

/**
 * Creates a judge at temperature 0 that retries unreadable verdicts and errors. Caches verdicts by content; failures
 * are `undecided` and not cached.
 * @throws LaconicError `config_invalid`
 */
export function judgeAsker<T>(
  settings: JudgeSettings,
): (question: JudgeQuestion<T>, signal?: AbortSignal) => Promise<Verdict<T>> {
  const { attempts = 2, cached = 10_000, maxTokens = 1024 } = settings;
  checkCount("attempts", attempts);
  checkCount("cached", cached, 0);
  checkCount("maxTokens", maxTokens);
  const ask: Ask = settings.deadline ? withDeadline(settings.deadline) : withoutDeadline;
  const cache = new Map<string, T>();
  const inFlight = new Map<string, Promise<Verdict<T>>>();

  async function put(question: JudgeQuestion<T>, outer: AbortSignal | undefined): Promise<Verdict<T>> {
    let reason = "";
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (outer?.aborted) return { status: "undecided", reason: "the request was aborted" };
      const messages = reason === "unreadable" ? reminded(question) : question.messages;
      const answered = await ask((signal) =>
        settings.model.complete({
          prompt: { kind: "messages", messages },
          sampling: { temperature: 0, maxTokens },
          random: randomFromSeed(`${question.key}#${attempt}`).state(),
          signal: outer ? AbortSignal.any([signal, outer]) : signal,
        }),
      );
      if (answered.status === "error") {
        reason = answered.reason;
        continue;
      }
      const value = question.read(answered.value.text);
      if (value !== null) return { status: "judged", value };
      reason = "unreadable";
    }
    const isNoted = reason === "unreadable" ? "its reply has no verdict in the form that was asked for" : reason;
    return {
      status: "undecided",
      reason: `the judge ${settings.model.id} gave none in ${attempts} attempts: ${isNoted}`,
    };
  }

  return async (question, signal) => {
    const { key } = question;
    if (cache.has(key)) {
      const value = cache.get(key) as T;
      cache.delete(key);
      cache.set(key, value);
      return { status: "judged", value };
    }
    const asked = inFlight.get(key);
    if (asked) return asked;
    const verdict = put(question, signal);
    inFlight.set(key, verdict);
    try {
      const input = await verdict;
      if (input.status === "judged" && cached > 0) {
        cache.set(key, input.value);
        if (cache.size > cached) cache.delete(cache.keys().next().value!);
      }
      return input;
    } finally {
      inFlight.delete(key);
    }
  };
}

/** Omits the last reply, which may quote the judged text. */
function reminded<T>({ messages, form }: JudgeQuestion<T>): readonly ChatMessage[] {
  const last = messages.at(-1)!;
  const content = `${last.content}\n\nYour last reply had no verdict in this form. End with exactly:\n${form}`;
  return [...messages.slice(0, -1), { ...last, content }];
}

const withoutDeadline: Ask = (question) => answerTo(question, new AbortController().signal);

export function charactersOf({ maxCharacters = 24_000 }: JudgeSettings): number {
  checkCount("maxCharacters", maxCharacters);
  return maxCharacters;
}
