import { cuesIn, withoutDenied, readCurrent } from "./reply/answer-cues.ts";
import { lastBoxed } from "./reply/boxes.ts";
import { readReply } from "./reply/read-reply.ts";
import { noAnswer, textVerdict, type Extracted, type Verdict } from "./verdict.ts";

/**
 * Text after the last `####`, in the last box, after the last cue such as "answer is", or an unmarked one-line reply;
 * null without one.
 */
export function extractText(reply: string): Extracted | null {
  return readCurrent(withoutDenied(readReply(reply)), textOf);
}

function textOf(text: string): Extracted | null {
  const found = (part: string | null | undefined, rule: string): Extracted | null => {
    const answer = bare(part ?? "");
    return answer === "" ? null : { answer, rule };
  };
  return (
    found([...text.matchAll(/####([^\n]*)/gu)].at(-1)?.[1], "after ####") ??
    found(lastBoxed(text), "boxed") ??
    found(announced(text), "after the answer trigger") ??
    (/\n|####/u.test(text.trim()) ? null : found(text, "the reply is one line"))
  );
}

const closings: Readonly<Record<string, string>> = { "“": "”", "‘": "’", "«": "»", "„": "“", "「": "」", "『": "』" };
/** Japanese, Korean and Hindi have the copula after the answer. */
const copulaBehind = /\s*(?:です|だ|である|입니다|이다|이에요|예요|(?<=\s)हैं?)[.।!]*\s*$/u;

function announced(text: string): string | null {
  const cue = cuesIn(text).at(-1);
  if (!cue) return null;
  const lead = text.slice(cue.start, cue.end);
  // "The answer is" at a line end.
  if (lead.includes("\n") && !/^\S+\s*\n|:\s*\n/u.test(lead)) return null;
  const quote = /(?:["'`“‘«„「『]|\*+|_+)\s*$/u.exec(lead)?.[0].trim() ?? "";
  const line = text.slice(cue.end).split(/\n|<\//u, 1)[0] ?? "";
  const close = quote === "" ? -1 : line.indexOf(closings[quote] ?? quote);
  return close === -1 ? line.replace(copulaBehind, "") : line.slice(0, close);
}

function bare(text: string): string {
  const plain = text.normalize("NFC").replaceAll(/\s+/gu, " ").trim();
  const [first = ""] = plain;
  const inner =
    /^(\*{1,3}|["'`])(.+)\1$/u.exec(plain)?.[2] ??
    (closings[first] !== undefined && plain.endsWith(closings[first]) ? plain.slice(1, -1) : undefined) ??
    /^\\(?:text|textbf|mathrm)\{([^{}]*)\}$/u.exec(plain)?.[1] ??
    plain.replace(/(?<=[^.!।॥۔])[.!।॥۔]$/u, "");
  return inner === plain ? plain : bare(inner);
}

/**
 * Compares characters after Unicode composition (NFC), without quotes, emphasis and final punctuation; case counts by
 * default. Merely mentioning the gold is not enough.
 */
export function gradeText(
  reply: string,
  gold: string,
  { ignoreCase = false, words = false }: { readonly ignoreCase?: boolean; readonly words?: boolean } = {},
): Verdict {
  const extracted = extractText(reply);
  if (words) {
    if (!extracted) return { ...noAnswer, score: 0 };
    const { answer, rule } = extracted;
    const { same: correct, f1: score } = sharedWords(answer, gold);
    return { correct, extracted: answer, rule: `${rule}, same words`, certainty: "exact", score };
  }
  const wanted = bare(readReply(gold));
  if (!extracted) return noAnswer;
  const folded = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const { answer, rule } = extracted;
  const step = { name: `text, ${rule}`, answer: folded(answer), gold: folded(wanted) };
  return textVerdict(answer, `${rule}, same text`, [step]);
}

/**
 * Overlap by SQuAD's and HotpotQA's rule (hotpot_evaluate_v1.py): lower case, without ASCII punctuation and a, an, the.
 * @returns `same`: equal in order (EM); `f1`: harmonic mean, 0 for different answers with yes or no
 */
export function sharedWords(answer: string, gold: string): { readonly same: boolean; readonly f1: number } {
  const [own, wanted] = [wordsOf(answer), wordsOf(gold)];
  const same = own.join(" ") === wanted.join(" ");
  const whole = [own.join(" "), wanted.join(" ")].some((words) => ["yes", "no", "noanswer"].includes(words));
  if (whole && !same) return { same, f1: 0 };
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  const common = own.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  }).length;
  return { same, f1: common === 0 ? 0 : (2 * common) / (own.length + wanted.length) };
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/[!-/:-@[-`{-~]/gu, "")
    .replaceAll(/(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu, " ")
    .split(/\s+/u)
    .filter((word) => word !== "");
}
