import { checkOption } from "../check-option.ts";
import { createJudge, type JudgeOptions } from "./judge.ts";

/** A judge that grades. */
export interface JudgeGraderOptions extends JudgeOptions {
  /** Score from which an answer is right, above 0 and at most 1. Default 0.5. */
  readonly acceptAt?: number;
}

/** What a judge says of a reply; the shape of the verdicts of `@laconic/benchmarks`. */
export interface JudgeVerdict {
  readonly correct: boolean;
  /** The reply as it was judged; null without a verdict. */
  readonly extracted: string | null;
  readonly rule: string;
  readonly certainty: "judged" | "undecided";
  /** False where the judge gave no verdict: the answer is neither right nor wrong. */
  readonly decided: boolean;
}

/**
 * A model as the grader of free answers, which is shown question, gold and reply: for `Graders.text` of `@laconic/benchmarks`.
 * @throws LaconicError `config_invalid`
 */
export function judgeGrader(
  options: JudgeGraderOptions,
): (
  reply: string,
  problem: { readonly question: string; readonly gold: string },
  signal?: AbortSignal,
) => Promise<JudgeVerdict> {
  const { acceptAt = 0.5, model } = options;
  checkOption("acceptAt", acceptAt, acceptAt > 0 && acceptAt <= 1, "above 0 and at most 1");
  const { judge } = createJudge(options);
  return async (reply, { question, gold }, signal) => {
    const verdict = await judge({ question, answer: reply, ...(gold !== "" && { reference: gold }) }, signal);
    if (verdict.status === "undecided")
      return { correct: false, extracted: null, rule: verdict.reason, certainty: "undecided", decided: false };
    const { score } = verdict.value;
    const rule = `judged by ${model.id}: ${score.toFixed(2)}`;
    return { correct: score >= acceptAt, extracted: reply, rule, certainty: "judged", decided: true };
  };
}
