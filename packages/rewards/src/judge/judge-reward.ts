import type { Reward } from "@laconic/core";
import { createJudge, type JudgeOptions } from "./judge.ts";

/** A judge that rewards. */
export interface JudgeRewardOptions extends JudgeOptions {
  /** Whether the judge is shown the problem's gold answer. Default: where there is one. */
  readonly showGold?: boolean;
}

/**
 * A judge as the reward of a run: a term for each criterion, its mark times its share of the weights, so that they add up to 0 to
 * 1; of a rubric of one question, `task`. Nobody's answer has 0 in each without asking; what the judge could not decide is
 * `undecided` and left out.
 * @throws LaconicError `config_invalid`
 * @example export default judgeReward({ model, rubric: "Is the answer right, and does it say why?" });
 */
export function judgeReward(options: JudgeRewardOptions): Reward {
  const { criteria, judge } = createJudge(options);
  const whole = criteria.reduce((sum, { weight }) => sum + weight, 0);
  return async ({ answer }, { question, gold }, { signal }) => {
    const shown = (options.showGold ?? gold !== "") ? { reference: gold } : {};
    const verdict =
      answer === null
        ? ({ status: "judged", value: { marks: {}, score: 0 } } as const)
        : await judge({ question, answer, ...shown }, signal);
    if (verdict.status === "undecided") return { undecided: verdict.reason };
    const { marks, score } = verdict.value as { marks: Readonly<Record<string, number>>; score: number };
    return {
      team: Object.fromEntries(criteria.map(({ name, weight }) => [name, (weight / whole) * (marks[name] ?? 0)])),
      score,
    };
  };
}
