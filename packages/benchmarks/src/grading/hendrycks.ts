import { lastBoxed, noAnswer, textVerdict, type Verdict } from "@laconic/grading";

/** Replacements of MATH's published grader, in its order. */
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

/** The text that MATH's published grader compares. */
function hendrycksText(answer: string): string {
  let text = answer;
  for (const [from, to] of spellings) text = text.replace(from, to);
  // What stands behind the one text command in the answer is a unit.
  const parts = text.split("\\text{ ");
  if (parts.length === 2) text = parts[0] as string;
  for (const [from, to] of laterSpellings) text = text.replace(from, to);
  return text;
}

/** The verdict of MATH's published grader: the last box and the gold are the same text once spelled alike. */
export function gradeHendrycks(reply: string, gold: string): Verdict {
  const boxed = lastBoxed(reply);
  if (boxed === null) return noAnswer;
  return textVerdict(boxed, "boxed, MATH's published rule", [
    { name: "found in the last box", answer: boxed, gold },
    { name: "spelled as MATH's grader does", answer: hendrycksText(boxed), gold: hendrycksText(gold) },
  ]);
}
