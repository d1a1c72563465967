import type { Family } from "@laconic/baselines";
import type { AnswerKind } from "@laconic/benchmarks";

const families: Readonly<Record<AnswerKind["kind"], Family>> = {
  numeric: "maths",
  maths: "maths",
  letter: "choice",
  code: "code",
  text: "text",
  writing: "text",
};

/** The kind of questions, as protocols know it, whose answers are of a kind. */
export function familyOf(kind: AnswerKind["kind"]): Family {
  return families[kind];
}
