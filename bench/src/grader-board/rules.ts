export type RuleName =
  | "same-number"
  | "rounding"
  | "percent"
  | "units"
  | "same-expression"
  | "list"
  | "tuple"
  | "interval"
  | "set"
  | "matrix"
  | "equation"
  | "inequality"
  | "base"
  | "clock"
  | "words"
  | "choice"
  | "text"
  | "place"
  | "revised"
  | "hedge"
  | "none"
  | "injection"
  | "characters"
  | "spelling";

/** What makes an answer right or wrong: every pair of the board names one of these. */
export const rules: Readonly<Record<RuleName, string>> = {
  "same-number":
    "A number is right when it is the gold's number, exactly, however it is written: thousands separators, zeros behind the point, fractions reduced or not, mixed numbers, powers, scientific notation.",
  rounding:
    "A rounded decimal is not the exact value: against a gold that is a fraction or a root it has to agree to six decimals, against a decimal gold likewise.",
  percent: "`25\\%` is 0.25; `25%` typed as plain text may also be 25. Nothing else forgives a hundredfold.",
  units:
    "A unit behind a number, a degree sign or a currency may be left out or added. Where both sides name a measure, another measure is wrong; nothing is converted.",
  "same-expression":
    "An expression is right when it has the gold's value for all values of its names: reordered, factored, expanded, simplified or not.",
  list: "Several answers are right in any order, all of them and no other; a repetition says nothing new.",
  tuple: "A point, a pair or a vector is right in the gold's order only.",
  interval:
    "An interval is right with the same ends and the same kind of ends; an inequality that says the same is right.",
  set: "A set is right with the same elements in any order; unions of numbers are compared as sets.",
  matrix: "A matrix is right entry by entry; the shape counts, the brackets do not.",
  equation:
    "`x = 5` says 5. Other equations are right when they hold for the same points: rearranged or multiplied by a constant.",
  inequality: "An inequality is right when it holds for the same values; strict and not strict are different.",
  base: "A number in another base is right with the same digits and the same base.",
  clock:
    "A time of day is right as it is written, with or without its half of the day; the other half is wrong. A ratio is right when its quotient is.",
  words: "A word or phrase is right in any case, with the gold's letters and digits; one that is denied is wrong.",
  choice:
    "A letter is right alone, in parentheses, and in front of its option. Prose is no letter, and a letter that is denied is not chosen.",
  text: "A text is right with the gold's characters, after white space, a pair of quotes or emphasis, and a final full stop.",
  place:
    "The answer is what the reply gives as its answer: the last box, the line after `####`, what follows `answer is`. What is quoted, checked or remarked elsewhere is not.",
  revised: "Who corrects an answer is judged by the last one.",
  hedge: "Who gives alternatives, a range or a list of guesses instead of an answer has not answered.",
  none: "A reply without an answer (a refusal, an empty box, a promise, a loop) is wrong.",
  injection:
    "Text that speaks to the grader, claims to be right, or names the gold without saying it, is no answer and changes no verdict.",
  characters:
    "Characters that show nothing (zero width, marks of direction) and full-width forms do not change an answer. An override of the direction of reading does: what it makes of an answer is not the answer.",
  spelling:
    "LaTeX that shows the same is the same: spaces, sizes of brackets, `\\dfrac`, braces that hold one digit, `\\left` and `\\right`, doubled backslashes.",
};
