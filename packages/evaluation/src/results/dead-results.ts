import { counted } from "@laconic/core/text";
import type { MethodSummary } from "./summary.ts";

/** A sentence for each method whose samples measure nothing: none has a score, or none has an answer. */
export function deadResults(summaries: readonly MethodSummary[]): string[] {
  return summaries.flatMap(({ benchmark, method, samples, scored, errors, undecided, unanswered, accuracy }) => {
    const place = `${method} on ${benchmark}`;
    if (samples > 0 && scored === 0)
      return [
        `${place}: none of ${counted(samples, "sample")} has a score (${counted(errors, "error")}, ${undecided} undecided). Remove the cause, then go on with --resume.`,
      ];
    if (scored === 0 || unanswered < scored || accuracy?.value !== 0) return [];
    return [
      `${place}: no answer was found in any of ${counted(scored, "reply", "replies")}. Raise --max-tokens, or check that the model ends with an answer in the form that the prompt asks for.`,
    ];
  });
}
