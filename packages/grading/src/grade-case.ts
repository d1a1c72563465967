import { LaconicError } from "@laconic/core";
import type { CaseParams, GradedCase } from "./graded-case.ts";
import { extractLetter, gradeLetter } from "./letter-answer.ts";
import type { MathsGrader } from "./maths/maths-grader.ts";
import type { MathsOptions } from "./maths/grade-maths.ts";
import { gradeNumber } from "./number-answer.ts";
import { gradePublishedNumber } from "./published-number.ts";
import { gradeText } from "./text-answer.ts";
import { noAnswer, type Verdict } from "./verdict.ts";

/** A verdict without a gold is only an extraction. */
export type CaseVerdict = Omit<Verdict, "correct"> & { readonly correct: boolean | null };

/**
 * Judges a labelled case. A case that names the rule of lm-evaluation-harness is judged by it, since its label is that
 * rule's; everything else is judged as benchmarks are.
 * @throws LaconicError `data_invalid` for a case without a gold that needs one
 */
export async function gradeCase(item: GradedCase, maths: MathsGrader): Promise<CaseVerdict> {
  const reply = item.prediction ?? "";
  if (item.kind === "letter-extraction" || item.kind === "letter") {
    const letters = item.params?.letters ?? "ABCDE";
    if (item.gold !== null) return gradeLetter(reply, item.gold, letters);
    const extracted = extractLetter(reply, letters);
    return extracted
      ? { correct: null, extracted: extracted.answer, rule: extracted.rule, certainty: "exact" }
      : { ...noAnswer, correct: null };
  }
  if (item.gold === null)
    throw new LaconicError("data_invalid", `case ${item.id}: gold is null, expected a text`, { id: item.id });
  if (item.kind === "text") return gradeText(reply, item.gold, { ignoreCase: item.params?.ignoreCase === true });
  if (item.kind === "gsm8k-extraction" || item.kind === "numeric") {
    const named = /flexible-extract|strict-match/u.exec(item.params?.grader ?? "")?.[0];
    return named === undefined
      ? gradeNumber(reply, item.gold)
      : gradePublishedNumber(reply, item.gold, named as "flexible-extract" | "strict-match");
  }
  return maths.grade(reply, item.gold, mathsOptions(item));
}

const none: CaseParams = {};

function mathsOptions({ kind, params, origin }: GradedCase): MathsOptions {
  const { match_types: types, precision, strict, allow_set_relation_comp: inequalities } = params ?? none;
  const bare = origin === "computed" || params?.wrap !== undefined;
  return {
    ...(types && { forms: { latex: types.includes("latex"), plain: types.includes("expr") } }),
    ...(strict === false && { strictNames: false }),
    // Labels of `math-equivalence` are Math-Verify's, which refuses them by default.
    inequalities: inequalities ?? kind !== "math-equivalence",
    // A benchmark's gold is one answer from end to end.
    ...(kind === "maths" && { bareGold: true }),
    ...(bare && { bareGold: true, bareReply: true }),
    // A small whole number counts decimals; anything else is a difference.
    ...(precision !== undefined &&
      (typeof precision === "number" && Number.isInteger(precision) && precision >= 1 && precision <= 15
        ? { digits: precision }
        : { tolerance: precision })),
  };
}
