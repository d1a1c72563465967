import type { Family } from "./protocol.ts";

/** Kinds of answers, as `@laconic/benchmarks` names them. */
type AnswerKindName = "numeric" | "maths" | "letter" | "code" | "text" | "writing";

const families: Readonly<Record<AnswerKindName, Family>> = {
  numeric: "maths",
  maths: "maths",
  letter: "choice",
  code: "code",
  text: "text",
  writing: "text",
};

/** The kind of questions, as protocols know it, whose answers are of a kind of `@laconic/benchmarks`. */
export function familyOf(kind: AnswerKindName): Family {
  return families[kind];
}
