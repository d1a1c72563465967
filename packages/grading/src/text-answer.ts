import { lastBoxed } from "./reply/last-boxed.ts";
import { readReply } from "./reply/read-reply.ts";
import { readCurrent } from "./reply/retraction.ts";
import { sharedWords } from "./shared-words.ts";
import { noAnswer, type Extracted, type Verdict } from "./verdict.ts";

/** The end of what an author says before the answer. */
const trigger = /\banswers?\b[ \t]*(?:is|are|=|:)+[ \t]*:?/giu;

/**
 * The text that a reply gives as its answer: the line after the last `####`, the last box, what follows the last "answer is"
 * on its line, or the reply itself where it is one line without a mark.
 * @returns null when it gives none
 */
export function extractText(reply: string): Extracted | null {
  return readCurrent(readReply(reply), textOf);
}

function textOf(text: string): Extracted | null {
  const found = (part: string | null | undefined, rule: string): Extracted | null => {
    const answer = bare(part ?? "");
    return answer === "" ? null : { answer, rule };
  };
  return (
    found([...text.matchAll(/####([^\n]*)/gu)].at(-1)?.[1], "after ####") ??
    found(lastBoxed(text), "boxed") ??
    found(lineAfterTrigger(text), "after the answer trigger") ??
    (/\n|####/u.test(text.trim()) ? null : found(text, "the reply is one line"))
  );
}

function lineAfterTrigger(text: string): string | null {
  const last = [...text.matchAll(trigger)].at(-1);
  return last ? (text.slice(last.index + last[0].length).split("\n")[0] ?? null) : null;
}

/** Without what is put around a text: white space, a pair of quotes or of emphasis, the full stop of a sentence. */
function bare(text: string): string {
  const said = text.normalize("NFC").replaceAll(/\s+/gu, " ").trim();
  const inner =
    /^(\*{1,3}|["'`])(.+)\1$/u.exec(said)?.[2] ??
    /^[“‘](.+)[”’]$/u.exec(said)?.[1] ??
    /^\\(?:text|textbf|mathrm)\{([^{}]*)\}$/u.exec(said)?.[1] ??
    said.replace(/(?<=[^.])\.$/u, "");
  return inner === said ? said : bare(inner);
}

/**
 * Judges a reply whose gold is a text: the same characters, after Unicode's composition (NFC) and with runs of white space
 * as one space. What stands around an answer (quotes, emphasis, a full stop) counts on neither side; case counts by default.
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
  const [said, right] = [folded(extracted.answer), folded(wanted)];
  return {
    correct: wanted !== "" && said === right,
    extracted: extracted.answer,
    rule: `${extracted.rule}, same text`,
    certainty: "exact",
    steps: [{ name: `text, ${extracted.rule}`, answer: said, gold: right }],
  };
}
