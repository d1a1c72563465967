import type { GradingStep } from "@laconic/core/run-folder";
import { readReply } from "../reply/read-reply.ts";
import { noAnswer, type Verdict } from "../verdict.ts";
import { extractLetter } from "../letter-answer.ts";
import { choiceOf, letterAlone } from "./reading/choice.ts";
import { compareValues, type Likeness } from "./comparison/compare-values.ts";
import { findAnswers, findWords, predicateIn, type AnswerForms, type Candidate } from "./reading/find-answers.ts";
import type { Match } from "./comparison/match.ts";
import { identityOf, normaliseLatex } from "./reading/normalise.ts";
import { readValue } from "./reading/read-value.ts";
import type { Value } from "./value.ts";

/** How an answer in mathematics is judged. */
export interface MathsOptions {
  /** Decimals to which decimals are rounded before they are compared. Default 6. */
  readonly digits?: number;
  /** Largest absolute difference, or one for each element of the gold's list: instead of rounding. */
  readonly tolerance?: number | readonly number[];
  /** An interval in the gold accepts inequalities. The other way round always holds. Default true. */
  readonly inequalities?: boolean;
  /**
   * Forgives what is written and not said: a percent sign on one side, a decimal rounded to two digits or more, a unit that
   * is another, a base that is left out. Default false.
   */
  readonly lenient?: boolean;
  /** Whether variables have to have the same names. Default true. */
  readonly strictNames?: boolean;
  /** Where answers are looked for. Default both. */
  readonly forms?: AnswerForms;
  /** The gold is LaTeX from end to end, not a text that holds it. Default: unless it has formulas or boxes. */
  readonly bareGold?: boolean;
  /** So is the reply. Default: unless it has formulas, boxes or sentences. */
  readonly bareReply?: boolean;
}

const both: AnswerForms = { latex: true, plain: true };

/**
 * Judges a reply by a gold answer in mathematics: the same text, the same exact number, or expressions that agree at
 * sample points, within lists, tuples, intervals, sets, matrices, equations and inequalities.
 * Bounded in time by the length of what is read; a hostile reply belongs into
 * `mathsGrader`, which works on a thread of its own.
 */
export function gradeMaths(reply: string, gold: string, options: MathsOptions = {}): Verdict {
  const likeness = likenessOf(options);
  const golds = valuesOf(candidatesOf(gold, options.forms ?? both, options.bareGold), 2);
  if (golds.length === 0) return { ...noAnswer, rule: "the gold cannot be read" };
  const [{ value: wantedFirst, text: wantedText }] = golds as [ReadCandidate];
  // "No solution" is a set, and said in words.
  const spoken =
    wantedFirst.kind === "words" ||
    (wantedFirst.kind === "set" && wantedFirst.items.length === 0 && /\p{L}{4}/u.test(wantedText));
  const inWords = spoken && !options.bareReply && (!/\$|\\[([]/u.test(reply) || predicateIn(reply) !== null);
  const found = inWords ? wordsOf(reply, wantedText) : candidatesOf(reply, options.forms ?? both, options.bareReply);
  const first = found[0];
  if (!first) return noAnswer;
  const formOf = ({ text }: Candidate): string => identityOf(normaliseLatex(text));
  const [firstForm, wantedForm] = [formOf(first), formOf(golds[0] as ReadCandidate)];
  const stepsOf = (candidate: Candidate, how?: string): GradingStep[] => [
    { name: `found: ${candidate.rule}`, answer: candidate.text, gold: wantedText },
    { name: "normal form", answer: candidate.text === first.text ? firstForm : formOf(candidate), gold: wantedForm },
    ...(how === undefined ? [] : [{ name: "compared as", answer: how, gold: null }]),
  ];
  const ofFirst = stepsOf(first);
  if (firstForm === wantedForm)
    return {
      correct: true,
      extracted: first.text,
      rule: `${first.rule}, same text`,
      certainty: "exact",
      steps: ofFirst,
    };
  const [answer] = valuesOf(found, 1);
  if (!answer) return { ...noAnswer, extracted: first.text, rule: `${first.rule}, cannot be read`, steps: ofFirst };
  const names = options.strictNames ?? true;
  const constant = constantOf(answer.text, (golds[0] as ReadCandidate).text);
  const said = names ? (constant ?? answer.value) : renamed(answer.text);
  const wanted = names ? golds.map(({ value }) => value) : golds.map(({ text }) => renamed(text));
  const [plain] = wanted.flatMap((value) => (value && said ? [compareValues(value, said, likeness)] : []));
  const match = plain?.equal ? plain : (compareChoices(golds[0] as ReadCandidate, answer, likeness) ?? plain);
  if (!match || match.how === "malformed" || match.how === "too large")
    return {
      ...noAnswer,
      extracted: answer.text,
      rule: `${answer.rule}, ${match?.how === "too large" ? "cannot be compared" : "cannot be read"}`,
      steps: stepsOf(answer),
    };
  const certainty = match.how === "same text" || match.how === "exact number" ? "exact" : "numeric";
  return {
    correct: match.equal,
    extracted: answer.text,
    rule: `${answer.rule}, ${match.how}`,
    certainty,
    steps: stepsOf(answer, match.how),
  };
}

/** A letter with its value against either of them, or both; null where no letter has a value. */
function compareChoices(gold: ReadCandidate, answer: ReadCandidate, likeness: Likeness): Match | null {
  const [wanted, said] = [choiceOf(normaliseLatex(gold.text)), choiceOf(normaliseLatex(answer.text))];
  const [letter, other] = [wanted?.letter ?? letterAlone(gold.text), said?.letter ?? letterAlone(answer.text)];
  if ((!wanted && !said) || (letter !== null && other !== null && letter !== other)) return null;
  const [a, b] = [wanted ? readValue(wanted.value) : gold.value, said ? readValue(said.value) : answer.value];
  const letters: Match = { equal: true, how: "same text" };
  if (letter !== null && other !== null && (!wanted || !said)) return letters;
  return a && b && compareValues(a, b, likeness);
}

/** Where the gold is the letter of a choice, a sentence is read for its letter. */
function wordsOf(reply: string, gold: string): Candidate[] {
  const found = findWords(reply);
  const chosen = found[0]?.rule !== "boxed" && letterAlone(gold) !== null ? extractLetter(reply, "ABCDEFGH") : null;
  return chosen ? [{ text: chosen.answer, rule: chosen.rule }] : found;
}

/** An answer whose constant of integration has another letter than the gold's, with the gold's. */
function constantOf(answer: string, gold: string): Value | null {
  const wanted = /\+\s*([CcKk])$/u.exec(gold.trim())?.[1];
  const [, rest, said] = /^(.+\+\s*)([CcKk])$/su.exec(answer.trim()) ?? [];
  if (wanted === undefined || rest === undefined || said === wanted || rest.includes(said as string)) return null;
  return readValue(`${rest}${wanted}`);
}

interface ReadCandidate extends Candidate {
  readonly value: Value;
}

function likenessOf({ digits = 6, tolerance, inequalities = true, lenient = false }: MathsOptions): Likeness {
  const list = typeof tolerance === "object" ? tolerance : null;
  const single = typeof tolerance === "number" ? tolerance : (list?.[0] ?? null);
  return { digits, tolerance: single, tolerances: list && list.length > 1 ? list : null, inequalities, lenient };
}

function candidatesOf(text: string, forms: AnswerForms, bare: boolean | undefined): Candidate[] {
  if (text.trim() === "") return [];
  const whole = (): Candidate[] => [{ text: unwrapped(readReply(text)), rule: "the whole text" }];
  if (bare) return whole();
  const found = findAnswers(text, forms);
  // A gold that is an expression or a word needs no wrapping to be one.
  return found.length === 0 && text.length <= 400 && bare === undefined && forms.plain ? whole() : found;
}

/** Formulas inside a bare answer, `$90^\circ$,$60^\circ$`, are its parts. */
function unwrapped(text: string): string {
  return text.replaceAll(/(?<!\\)\$/gu, " ");
}

function valuesOf(candidates: readonly Candidate[], most: number): ReadCandidate[] {
  const read: ReadCandidate[] = [];
  for (const candidate of candidates) {
    const value = readValue(candidate.text);
    if (value) read.push({ ...candidate, value });
    if (read.length === most) break;
  }
  return read;
}

/** Single letters by the order in which they come, so that f(x) is f(y). */
function renamed(text: string): Value | null {
  const names = new Map<string, string>();
  const plain = normaliseLatex(text).replaceAll(/(?<![\\a-zA-Z])[a-zA-Z](?![a-zA-Z])/gu, (letter) => {
    if (letter === "e" || letter === "i") return letter;
    if (!names.has(letter)) names.set(letter, `z_{${names.size}}`);
    return names.get(letter) as string;
  });
  return readValue(plain);
}
