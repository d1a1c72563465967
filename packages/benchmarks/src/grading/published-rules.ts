import { noAnswer, textVerdict, type Verdict, lastBoxed, type MathsGrader } from "@laconic/grading";

/** Qwen2.5-Math's published code; the article "a" counts as A. */
export function qwenLetter(reply: string): string | null {
  const text = reply.toUpperCase();
  const trigger = [...text.matchAll(/(?:ANSWER|CHOICE) IS/gu)].at(-1);
  const after = trigger && /\b[A-E]\b/u.exec(text.slice(trigger.index + trigger[0].length))?.[0];
  return after ?? [...text.matchAll(/\b[A-E]\b/gu)].at(-1)?.[0] ?? null;
}

/** Grades by {@link qwenLetter}. */
export function gradeQwenLetter(reply: string, gold: string): Verdict {
  const letter = qwenLetter(reply);
  if (letter === null) return noAnswer;
  const step = { name: "letter by Qwen2.5-Math", answer: letter, gold: gold.trim().toUpperCase() };
  return textVerdict(letter, "Qwen2.5-Math's rule", [step]);
}

const spellings: readonly (readonly [RegExp, string])[] = [
  [/\n/gu, ""],
  [/\\!/gu, ""],
  [/\\\\/gu, "\\"],
  [/tfrac|dfrac/gu, "frac"],
  [/\\left|\\right/gu, ""],
  [/\^\{\\circ\}|\^\\circ/gu, ""],
  [/\\\$/gu, ""],
];
const laterSpellings: readonly (readonly [RegExp, string])[] = [
  [/\\%|%/gu, ""],
  [/ \./gu, " 0."],
  [/\{\./gu, "{0."],
  [/^\./u, "0."],
  [/^[^=]{0,2}=(?=[^=]*$)/u, ""],
  [/\\sqrt(?!\{)(.)/gu, "\\sqrt{$1}"],
  [/ /gu, ""],
  [/\\frac(?!\{)(.)(?!\{)(.)/gu, "\\frac{$1}{$2}"],
  [/\\frac(?!\{)(.)(?=\{)/gu, "\\frac{$1}"],
  [/^0\.5$/u, "\\frac{1}{2}"],
  [/^(-?\d+)\/(-?\d+)$/u, "\\frac{$1}{$2}"],
];

function hendrycksText(answer: string): string {
  let text = answer;
  for (const [from, to] of spellings) text = text.replace(from, to);
  // Text after a single text command is a unit.
  const parts = text.split("\\text{ ");
  if (parts.length === 2) text = parts[0]!;
  for (const [from, to] of laterSpellings) text = text.replace(from, to);
  return text;
}

/** MATH's published grader: the last box equals the gold after normalisation. */
export function gradeHendrycks(reply: string, gold: string): Verdict {
  const boxed = lastBoxed(reply);
  if (boxed === null) return noAnswer;
  return textVerdict(boxed, "boxed, MATH's published rule", [
    { name: "found in the last box", answer: boxed, gold },
    { name: "spelled as MATH's grader does", answer: hendrycksText(boxed), gold: hendrycksText(gold) },
  ]);
}

/**
 * Minerva's rule (Lewkowycz et al. 2022, arXiv 2206.14858, appendix D.1): X in "Final Answer: The final answer is X. I
 * hope it is correct.", normalised and equal as text or for SymPy. Our grader replaces SymPy.
 */
const opening = /final answer(?: is|:)(?:\s{1,3}the final answer is)?/iu;
/** UTF-16 units. */
const longestSentence = 2000;

function finalAnswer(reply: string): string | null {
  const start = opening.exec(reply);
  if (!start) return null;
  const from = start.index + start[0].length;
  const line = reply.slice(from, from + longestSentence).split("\n", 1)[0]!;
  const message = line
    .split(/I hope it is correct/iu, 1)[0]!
    .trim()
    .replace(/\.$/u, "")
    .trim();
  return message === "" ? null : message;
}

const substitutions: readonly (readonly [string, string])[] = [
  ["an ", ""],
  ["a ", ""],
  [".$", "$"],
  ["\\$", ""],
  ["\\ ", ""],
  [" ", ""],
  ["mbox", "text"],
  [",\\text{and}", ","],
  ["\\text{and}", ","],
  ["\\text{m}", "\\text{}"],
];
/** Removed in order, also inside other text. */
const removed: readonly string[] = [
  ..."square ways integers dollars mph inches ft hours km units \\ldots sue points feet minutes digits cents degrees".split(
    " ",
  ),
  ..."cm gm pounds meters meals edges students childrentickets multiples \\text{s} \\text{.}".split(" "),
  "\\text{\ns}",
  "\\text{}^2",
  "\\text{}^3",
  "\\text{\n}",
  ...'\\text{} \\mathrm{th} ^\\circ ^{\\circ} \\; ,\\! {,} " \\dots'.split(" "),
];

function minervaText(answer: string): string {
  let text = answer.split("=").at(-1)!;
  for (const [from, to] of substitutions) text = text.replaceAll(from, to);
  for (const expression of removed) text = text.replaceAll(expression, "");
  text = text
    .replaceAll(/.*?\$(.*?)\$.*/gu, "$$$1$$")
    .replaceAll(/\\text\{(.*?)\}/gu, "$1")
    .replaceAll(/\\textbf\{(.*?)\}/gu, "$1")
    .replaceAll(/\\overline\{(.*?)\}/gu, "$1")
    .replaceAll(/\\boxed\{(.*)\}/gu, "$1")
    .replaceAll(/frac([^{])(.)/gu, "frac{$1}{$2}")
    .replaceAll(/sqrt([^{])/gu, "sqrt{$1}")
    .replaceAll("$", "");
  const digits = text.replaceAll(",", "");
  return /^\d+$/u.test(digits) ? digits : text;
}

export async function gradeMinerva(
  reply: string,
  gold: string,
  maths: MathsGrader,
  signal?: AbortSignal,
): Promise<Verdict> {
  const match = finalAnswer(reply);
  if (match === null) return noAnswer;
  const [message, wanted] = [minervaText(match), minervaText(gold)];
  const steps = [
    { name: "found in the final sentence", answer: match, gold },
    { name: "normalised as Minerva does", answer: message, gold: wanted },
  ];
  // SymPy reads only expressions and equations.
  if (message === wanted || [message, wanted].some((text) => /[,%]|\\\{|\\cup/u.test(text)))
    return textVerdict(match, "Minerva's published rule, same text", steps);
  const compared = await maths.grade(message, wanted, { bareGold: true, bareReply: true, digits: 10 }, signal);
  const rule = `Minerva's published rule, ${compared.rule}`;
  return { ...compared, extracted: match, rule, steps: [...steps, ...(compared.steps ?? [])] };
}
