import { group, shapes, type GroupShape } from "@laconic/core";

/** When to stop raising the price over budget: silence cannot be undone once no sample speaks. */
export interface GuardOptions {
  /** `freeze`: the price may not rise. `lower`: it also falls by `lowerBy` each iteration. */
  readonly action: "freeze" | "lower";
  /** Active while the task reward is below its reference minus this. */
  readonly rewardTolerance?: number;
  /** Reference task reward; measured as the mean of the warm-up when absent. */
  readonly referenceReward?: number;
  /** Active while more than this share of utterances is silent, in [0, 1). */
  readonly maxSilenceRate?: number;
  /** Share of the price taken off per iteration while active, in (0, 1]; `lower` only. Defaults to 0.1. */
  readonly lowerBy?: number;
}

/** Options of a dual controller. `targetTokens` and `learningRate` alone are Eq. 5; prices and gains are in `unit`. */
export interface BudgetOptions {
  /** B: mean tokens per episode to keep to. Any other cost works the same way. */
  readonly targetTokens: number;
  /** η, the gain of the integral. */
  readonly learningRate: number;
  /**
   * `token`: violation u = mean - B, prices per token, Eq. 5. `budget`: u = mean / B - 1, prices per whole budget, independent of the
   * size of the budget. Default `token`.
   */
  readonly unit?: "token" | "budget";
  /** Price when control starts. Defaults to 0. */
  readonly initialPrice?: number;
  /** Highest price; none when absent. */
  readonly maxPrice?: number;
  /** Iterations at `warmupPrice` before control starts. Defaults to 0. */
  readonly warmupIterations?: number;
  /** Defaults to 0. */
  readonly warmupPrice?: number;
  /** Iterations in which the target falls from the cost measured in warm-up to B. Defaults to 0. */
  readonly annealIterations?: number;
  /** Keep the integral within [0, maxPrice], hold it at a saturated price, and ignore truncated costs below the target. Default true. */
  readonly antiWindup?: boolean;
  /** Share of truncated episodes above which a cost below the target lowers no price. Defaults to 0.1. */
  readonly truncationTolerance?: number;
  /** Adds this times u to the price. Defaults to 0. */
  readonly proportionalGain?: number;
  /** Adds this times the increase of the smoothed cost to the price, never its decrease. Defaults to 0. */
  readonly derivativeGain?: number;
  /** Weight of the past in the smoothed cost, in [0, 1). Defaults to 0. */
  readonly derivativeSmoothing?: number;
  readonly guard?: GuardOptions;
}

const price = { shape: shapes.atLeast0, optional: true } as const;
const count = { shape: shapes.count, optional: true, default: 0 } as const;
const below1 = { shape: { kind: "number", min: 0, below: 1 }, optional: true } as const;

const guardOptionsShape: GroupShape<GuardOptions> = group<GuardOptions>({
  action: { help: "What the guard does", shape: { kind: "choice", of: ["freeze", "lower"] } },
  rewardTolerance: { ...price, help: "Fall of the task reward below its reference at which the guard acts" },
  referenceReward: {
    help: "Reference task reward; measured in the warm-up when absent",
    shape: shapes.number,
    optional: true,
  },
  maxSilenceRate: { ...below1, help: "Share of silent utterances above which the guard acts" },
  lowerBy: {
    help: "Share of the price that the guard takes off in a step",
    shape: { kind: "number", above: 0, max: 1 },
    optional: true,
    default: 0.1,
    actsWith: ({ action }) => action === "lower",
  },
});

/** The shape and ranges of one controller's options; settings that contradict each other are found by the controller. */
export const budgetOptionsShape: GroupShape<BudgetOptions> = group<BudgetOptions>({
  targetTokens: { help: "Mean tokens of an episode to keep to, or units of another cost", shape: shapes.above0 },
  learningRate: { help: "How far the price moves in a step for each unit above the target", shape: shapes.above0 },
  unit: {
    help: "Whether prices and the violation are of a token, or of a whole budget",
    shape: { kind: "choice", of: ["token", "budget"] },
    optional: true,
    default: "token",
  },
  initialPrice: { ...price, default: 0, help: "Price when control starts: in the first step, or behind the warm-up" },
  maxPrice: { help: "Largest price", shape: shapes.above0, optional: true },
  warmupIterations: { ...count, help: "Steps that only measure" },
  warmupPrice: {
    ...price,
    default: 0,
    actsWith: ({ warmupIterations }) => Boolean(warmupIterations),
    help: "Price while they measure",
  },
  annealIterations: { ...count, help: "Steps in which the target falls from what was measured" },
  antiWindup: {
    help: "Keeps the integral between 0 and the largest price, and holds it while the price is at the largest",
    shape: shapes.boolean,
    optional: true,
    default: true,
  },
  truncationTolerance: {
    ...below1,
    default: 0.1,
    actsWith: ({ antiWindup }) => antiWindup !== false,
    help: "Share of truncated episodes above which a cost below the target lowers no price",
  },
  proportionalGain: { ...price, default: 0, help: "How strongly the present error moves the price" },
  derivativeGain: { ...price, default: 0, help: "Adds this times the rise of the smoothed cost to the price" },
  derivativeSmoothing: {
    ...below1,
    default: 0,
    actsWith: ({ derivativeGain }) => Boolean(derivativeGain),
    help: "Weight of the past in the smoothed cost",
  },
  guard: { help: "Protects accuracy while the price rises; absent for none", shape: guardOptionsShape, optional: true },
});
