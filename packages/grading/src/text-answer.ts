import { cuesIn, withoutDenied } from "./reply/answer-cues.ts";
import { lastBoxed } from "./reply/boxes.ts";
import { readReply } from "./reply/read-reply.ts";
import { readCurrent } from "./reply/retraction.ts";
import { sharedWords } from "./shared-words.ts";
import { noAnswer, textVerdict, type Extracted, type Verdict } from "./verdict.ts";

/**
 * The text that a reply gives as its answer: the line after the last `####`, the last box, what follows the last cue such as
 * "answer is" on its line, or the reply itself where it is one line without a mark.
 * @returns null when it gives none
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
/** The copula of Japanese, Korean and Hindi stands behind the answer. */
const copulaBehind = /\s*(?:です|だ|である|입니다|이다|이에요|예요|(?<=\s)हैं?)[.।!]*\s*$/u;

/** What follows the last cue: in quotes, in a tag, or to the end of the line. */
function announced(text: string): string | null {
  const cue = cuesIn(text).at(-1);
  if (!cue) return null;
  const lead = text.slice(cue.start, cue.end);
  // "The answer is" at the end of a line announces a passage.
  if (lead.includes("\n") && !/^\S+\s*\n|:\s*\n/u.test(lead)) return null;
  const quote = /(?:["'`“‘«„「『]|\*+|_+)\s*$/u.exec(lead)?.[0].trim() ?? "";
  const line = text.slice(cue.end).split(/\n|<\//u, 1)[0] ?? "";
  const close = quote === "" ? -1 : line.indexOf(closings[quote] ?? quote);
  return close === -1 ? line.replace(copulaBehind, "") : line.slice(0, close);
}

/** Without what is put around a text: white space, a pair of quotes or of emphasis, the punctuation of a sentence. */
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
 * Judges a reply whose gold is a text: the same characters, after Unicode's composition (NFC) and with runs of white space
 * as one space. What stands around an answer (quotes, emphasis, final punctuation) counts on neither side; case counts by default.
 * The answer has to be given as one: a gold that is merely mentioned is not accepted. With `words` `sharedWords` decides, and the
 * verdict has a score.
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
