import { extractLetter } from "../letter-answer.ts";
import { readReply } from "../reply/read-reply.ts";
import { noAnswer, type Certainty, type Verdict } from "../verdict.ts";
import { compareValues, type Likeness } from "./comparison/compare-values.ts";
import type { Match } from "./comparison/compare-expressions.ts";
import { findAnswers, findWords, predicateIn, type AnswerForms, type Candidate } from "./reading/find-answers.ts";
import { identityOf, normaliseLatex } from "./reading/normalise.ts";
import { readValue } from "./reading/read-value.ts";
import type { Value } from "./value.ts";

/** Options for grading maths. */
export interface MathsOptions {
  /** Decimals for rounding decimals. Default 6. */
  readonly digits?: number;
  /** Largest absolute difference, or one per element of the gold's list. */
  readonly tolerance?: number | readonly number[];
  /** Inequalities match a gold interval. Default true. */
  readonly inequalities?: boolean;
  /** Accepts a one-sided percent sign, rounding to two digits, another unit, a missing base. Default false. */
  readonly lenient?: boolean;
  /** Requires equal variable names. Default true. */
  readonly strictNames?: boolean;
  /** Searched formats. Default both. */
  readonly forms?: AnswerForms;
  /** Only LaTeX. Default: unless it has formulas or boxes. */
  readonly bareGold?: boolean;
  /** Only LaTeX. Default: unless it has formulas, boxes or sentences. */
  readonly bareReply?: boolean;
}

const both: AnswerForms = { latex: true, plain: true };

/**
 * Grades by equal texts, exact numbers, or agreement at sample points. `mathsGrader` has a time limit for hostile
 * replies.
 */
export function gradeMaths(reply: string, gold: string, options: MathsOptions = {}): Verdict {
  const { forms = both, strictNames = true } = options;
  const wanted = firstRead(candidatesOf(gold, forms, options.bareGold));
  if (!wanted) return { ...noAnswer, rule: "the gold cannot be read" };
  // "No solution" is a set in prose.
  const spoken =
    wanted.value.kind === "words" ||
    (wanted.value.kind === "set" && wanted.value.items.length === 0 && /\p{L}{4}/u.test(wanted.text));
  const inWords = spoken && !options.bareReply && (!/\$|\\[([]/u.test(reply) || predicateIn(reply) !== null);
  const matches = inWords ? wordsOf(reply, wanted.text) : candidatesOf(reply, forms, options.bareReply);
  const [first] = matches;
  if (!first) return noAnswer;
  const formOf = ({ text }: Candidate): string => identityOf(normaliseLatex(text));
  const wantedForm = formOf(wanted);
  const verdictOn = (candidate: Candidate, how: string, certainty: Certainty, correct = false): Verdict => ({
    correct,
    extracted: candidate.text,
    rule: `${candidate.rule}, ${how}`,
    certainty,
    steps: [
      { name: `found: ${candidate.rule}`, answer: candidate.text, gold: wanted.text },
      { name: "normal form", answer: formOf(candidate), gold: wantedForm },
    ],
  });
  if (formOf(first) === wantedForm) return verdictOn(first, "same text", "exact", true);
  const answer = firstRead(matches);
  if (!answer) return verdictOn(first, "cannot be read", "undecided");
  const likeness = likenessOf(options);
  const message = strictNames ? (constantOf(answer.text, wanted.text) ?? answer.value) : renamed(answer.text);
  const right = strictNames ? wanted.value : renamed(wanted.text);
  const plain = message && right && compareValues(right, message, likeness);
  const match = plain?.equal ? plain : (compareChoices(wanted, answer, likeness) ?? plain);
  if (match?.how === "too large") return verdictOn(answer, "cannot be compared", "undecided");
  if (!match || match.how === "malformed") return verdictOn(answer, "cannot be read", "undecided");
  const certainty = match.how === "same text" || match.how === "exact number" ? "exact" : "numeric";
  const verdict = verdictOn(answer, match.how, certainty, match.equal);
  return { ...verdict, steps: [...(verdict.steps ?? []), { name: "compared as", answer: match.how, gold: null }] };
}

/** Null if none has a value. */
function compareChoices(gold: ReadCandidate, answer: ReadCandidate, likeness: Likeness): Match | null {
  const [wanted, reply] = [choiceOf(normaliseLatex(gold.text)), choiceOf(normaliseLatex(answer.text))];
  const [letter, other] = [wanted?.letter ?? letterAlone(gold.text), reply?.letter ?? letterAlone(answer.text)];
  if ((!wanted && !reply) || (letter !== null && other !== null && letter !== other)) return null;
  const [a, b] = [wanted ? readValue(wanted.value) : gold.value, reply ? readValue(reply.value) : answer.value];
  const letters: Match = { equal: true, how: "same text" };
  if (letter !== null && other !== null && (!wanted || !reply)) return letters;
  return a && b && compareValues(a, b, likeness);
}

/** Sentences give a letter if the gold is one. */
function wordsOf(reply: string, gold: string): Candidate[] {
  const matches = findWords(reply);
  const chosen = matches[0]?.rule !== "boxed" && letterAlone(gold) !== null ? extractLetter(reply, "ABCDEFGH") : null;
  return chosen ? [{ text: chosen.answer, rule: chosen.rule }] : matches;
}

function constantOf(answer: string, gold: string): Value | null {
  const wanted = /\+\s*([CcKk])$/u.exec(gold.trim())?.[1];
  const [, rest, reply] = /^(.+\+\s*)([CcKk])$/su.exec(answer.trim()) ?? [];
  if (wanted === undefined || rest === undefined || reply === wanted || rest.includes(reply!)) return null;
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
  // Formulas are parts: `$90^\circ$,$60^\circ$`.
  const whole = (): Candidate[] => [{ text: readReply(text).replaceAll(/(?<!\\)\$/gu, " "), rule: "the whole text" }];
  if (bare) return whole();
  const matches = findAnswers(text, forms);
  // Golds need no wrapper.
  return matches.length === 0 && text.length <= 400 && bare === undefined && forms.plain ? whole() : matches;
}

function firstRead(candidates: readonly Candidate[]): ReadCandidate | null {
  for (const candidate of candidates) {
    const value = readValue(candidate.text);
    if (value) return { ...candidate, value };
  }
  return null;
}

/** Renames letters by order, so f(x) equals f(y). */
function renamed(text: string): Value | null {
  const names = new Map<string, string>();
  const plain = normaliseLatex(text).replaceAll(/(?<![\\a-zA-Z])[a-zA-Z](?![a-zA-Z])/gu, (letter) => {
    if (letter === "e" || letter === "i") return letter;
    if (!names.has(letter)) names.set(letter, `z_{${names.size}}`);
    return names.get(letter)!;
  });
  return readValue(plain);
}

const command = "\\\\text";
const lettered = new RegExp(
  `^(${command}\\s*\\{)?\\s*(\\()?\\s*(?:${command}\\s*\\{\\s*([A-H])\\s*\\}|([A-H]))\\s*(\\)|\\.)\\s*(\\})?[\\s~]*(?:\\\\[ ,;:]|\\\\q?quad)?\\s*(.+)$`,
  "su",
);

/** Parts of `(C) 12`; null for others. */
function choiceOf(text: string): { readonly letter: string; readonly value: string } | null {
  const match = lettered.exec(text.trim());
  if (!match) return null;
  const [, opened, , wrapped, bare, , closed, rest] = match as unknown as (string | undefined)[];
  let value = rest!.trim();
  if (opened && !closed) {
    if (!value.endsWith("}")) return null;
    value = value.slice(0, -1).trim();
  }
  // Two letters are no choice.
  if (value === "" || lettered.test(value) || /^\(?[A-H]\)?$|^(?:or|and)\b|^[,/&]/u.test(value)) return null;
  return { letter: (wrapped ?? bare) as string, value };
}

function letterAlone(text: string): string | null {
  const bare = text.replaceAll(new RegExp(command, "gu"), "").replaceAll(/[\s(){}.$]/gu, "");
  return /^[A-H]$/u.test(bare) ? bare : null;
}
