import { formatNumber, formatPercent } from "@laconic/core/text";
import * as z from "zod";
import type { TrainConfig } from "./settings/config.ts";
import type { Metrics } from "./step-metrics.ts";

interface Sign {
  /** Sum of counts before the streak, and number of those steps. */
  readonly total: number;
  readonly steps: number;
  readonly streak: number;
  readonly warnings: number;
}

export type DeadTrainingSigns = Readonly<Record<string, Sign>>;

export const deadTrainingSchema: z.ZodType<DeadTrainingSigns> = z.record(
  z.string(),
  z.strictObject({ total: z.number(), steps: z.int(), streak: z.int(), warnings: z.int() }),
);

interface StepView {
  readonly value: number;
  /** Metric of the same policy, else of the team. */
  readonly read: (metric: string) => number;
  readonly config: Pick<TrainConfig, "limits" | "problemsPerStep">;
  readonly subject: string;
  /** True if any step before the streak lacked the sign; mean count of those steps. */
  readonly wasAlive: boolean;
  readonly before: number;
  readonly period: string;
}

interface SignRow {
  readonly metric: RegExp;
  readonly steps: number;
  /** Count that is dead at 0. */
  readonly count?: (view: StepView) => number;
  /** Whether a count that was never above 0 is a sign. */
  readonly isFromStart?: boolean;
  readonly isDead?: (view: StepView) => boolean;
  readonly text: (view: StepView) => string;
}

/** If this many events were expected, zero events have probability e⁻¹⁰. */
const minExpected = 10;

const maxWarnings = 2;

const perEpisode = ({ value, read }: StepView): number => value * read("scoring/scored");

const rows: readonly SignRow[] = [
  {
    metric: /^replies\/cut$/u,
    steps: 1,
    isDead: ({ value, read }) => value > 0 && value === read("replies/spoken") && read("task/accuracy") < 0.5,
    text: ({ config: { limits }, read, period }) => {
      const ceilings = Object.keys(limits).filter((key) => key.startsWith("maxTokens"));
      const settings = ["the agents' maxTokens", ...ceilings.map((key) => `limits.${key}`)].join(" or ");
      return `all ${read("replies/cut")} replies of ${period} were cut at ${read("response_length/max")} tokens: raise ${settings}`;
    },
  },
  {
    metric: /^frac_reward_zero_std$/u,
    steps: 3,
    isFromStart: true,
    count: ({ value, config }) => (1 - value) * config.problemsPerStep,
    isDead: ({ read, wasAlive }) => !wasAlive || read("task/accuracy") < 0.9,
    text: ({ read, period }) => {
      const accuracy = read("task/accuracy");
      const advice =
        accuracy > 0 && accuracy < 1
          ? "raise episodesPerProblem or sampling.temperature"
          : `${accuracy === 1 ? "every answer is right: train on harder" : "no answer is right: train on easier"} problems`;
      return `in every group of ${period} the rewards are equal, so nothing is learned; ${advice}`;
    },
  },
  {
    metric: /^actor\/grad_norm$/u,
    steps: 3,
    // Equal rewards and skipped gradients are reported elsewhere.
    isDead: ({ value, read }) => value === 0 && read("actor/skipped_steps") === 0 && read("frac_reward_zero_std") !== 1,
    text: ({ read, period }) => {
      const advice = read("actor/pg_clipfrac") === 1 ? "all ratios are clipped: widen the clip" : "check objective";
      return `the gradient is zero in ${period}, so nothing is learned; ${advice}`;
    },
  },
  {
    metric: /^measures\/calls\/(.+)$/u,
    steps: 5,
    count: perEpisode,
    text: ({ subject, before, period }) =>
      `no agent calls the tool ${subject} in ${period}; before, ${formatNumber(before)} calls per step: lower the price of calls or of tokens`,
  },
  {
    metric: /^task\/accuracy$/u,
    steps: 5,
    count: perEpisode,
    text: ({ before, read, period }) =>
      `no answer is right in ${period}; before, ${formatPercent(before / read("scoring/scored"))} were: lower optimizer.learningRate.peak or the prices, or resume from an earlier checkpoint`,
  },
  {
    metric: /^(?:messages|tokens\/written\/(.+))$/u,
    steps: 5,
    count: ({ value }) => value,
    text: ({ subject, before, period }) =>
      `${subject === "" ? "no agent reads a message" : `the agent ${subject} writes no token`} in ${period}; before, ${formatNumber(before)} tokens per step: lower the price of tokens, or raise budget.targetTokens or limits`,
  },
];

/**
 * Looks for signs of dead training.
 * @param metrics - with each policy's `replies/spoken` (non-empty) and `replies/cut`
 * @returns new signs and warnings: one per sign, and one more after a recovery
 */
export function watchForDeadTraining(
  before: DeadTrainingSigns,
  metrics: Metrics,
  config: StepView["config"],
): { readonly signs: DeadTrainingSigns; readonly warnings: readonly string[] } {
  const reads = Object.entries(metrics).filter(([name]) => name.startsWith("tokens/read/"));
  const values: Metrics = { ...metrics, messages: reads.reduce((sum, [, tokens]) => sum + tokens, 0) };
  const [signs, warnings] = [{ ...before }, [] as string[]];
  for (const name of new Set([...Object.keys(values), ...Object.keys(before)])) {
    const prefix = /^policy\/[\w-]+\//u.exec(name)?.[0] ?? "";
    const row = rows.find(({ metric }) => metric.test(name.slice(prefix.length)));
    if (!row || (row.count && metrics["scoring/scored"] === 0)) continue;
    const sign = before[name] ?? { total: 0, steps: 0, streak: 0, warnings: 0 };
    const streak = sign.streak + 1;
    const view: StepView = {
      value: values[name] ?? (row.count ? 0 : Number.NaN),
      read: (metric) => values[`${prefix}${metric}`] ?? values[metric] ?? Number.NaN,
      config,
      subject: row.metric.exec(name.slice(prefix.length))?.[1] ?? "",
      wasAlive: sign.steps > 0,
      before: sign.total / Math.max(1, sign.steps),
      period: row.steps === 1 ? `step ${metrics["step"]}` : `the last ${streak} steps (to step ${metrics["step"]})`,
    };
    const count = row.count?.(view);
    if ((count ?? 0) !== 0 || row.isDead?.(view) === false) {
      signs[name] = { ...sign, total: sign.total + (count ?? 0), steps: sign.steps + streak, streak: 0 };
      continue;
    }
    const isCertain = !row.count || (row.isFromStart === true && !view.wasAlive);
    const isComplete = (steps: number): boolean =>
      steps >= row.steps && (isCertain || steps * view.before >= minExpected);
    const isNew = isComplete(streak) && !isComplete(streak - 1) && sign.warnings < maxWarnings;
    signs[name] = { ...sign, streak, warnings: sign.warnings + Number(isNew) };
    if (isNew) warnings.push(`${prefix === "" ? "" : `${prefix.slice(0, -1)}: `}${row.text(view)}`);
  }
  return { signs, warnings };
}
