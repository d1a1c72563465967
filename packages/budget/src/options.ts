import { group, type GroupShape } from "@laconic/core";

/** Stops raising the price early: training cannot undo full silence. */
export interface GuardOptions {
  /** `freeze`: the price may not rise. `lower`: it also falls by `lowerBy`. */
  readonly action: "freeze" | "lower";
  /** Acts while the task reward is this far below its reference. */
  readonly rewardTolerance?: number;
  /** Default: warm-up mean. */
  readonly referenceReward?: number;
  /** Acts above this share of silent utterances, in [0, 1). */
  readonly maxSilenceRate?: number;
  /** Share of the price removed per iteration, in (0, 1]. Default 0.1. */
  readonly lowerBy?: number;
}

/** Options of a dual controller in `unit`. Alone, `targetTokens` and `learningRate` give Eq. 5. */
export interface BudgetOptions {
  /** B: target mean per episode. */
  readonly targetTokens: number;
  /** η: integral gain. */
  readonly learningRate: number;
  /** `token` (default): u = mean - B, Eq. 5. `budget`: u = mean / B - 1, independent of its size. */
  readonly unit?: "token" | "budget";
  /** Price when control starts. Default 0. */
  readonly initialPrice?: number;
  /** Max price. Default: no limit. */
  readonly maxPrice?: number;
  /** Iterations at `warmupPrice` before control starts. Default 0. */
  readonly warmupIterations?: number;
  readonly warmupPrice?: number;
  /** Iterations in which the target falls from the warm-up cost to B. Default 0. */
  readonly annealIterations?: number;
  /** Clamps the integral to [0, maxPrice] and holds it while saturated. Default true. */
  readonly antiWindup?: boolean;
  /** Truncated share above which a low cost does not lower the price. Default 0.1. */
  readonly truncationTolerance?: number;
  /** Factor of u in the price. Default 0. */
  readonly proportionalGain?: number;
  /** Factor of increases of the smoothed cost in the price. Default 0. */
  readonly derivativeGain?: number;
  /** Weight of earlier costs in the smoothed cost, in [0, 1). Default 0. */
  readonly derivativeSmoothing?: number;
  readonly guard?: GuardOptions;
}

const price = { shape: "atLeast0", optional: true } as const;
const count = { shape: "count", optional: true, default: 0 } as const;
const below1 = { shape: "shareBelow1", optional: true } as const;

const guardOptionsShape: GroupShape<GuardOptions> = group<GuardOptions>({
  action: { help: "Action of the guard", shape: { kind: "choice", of: ["freeze", "lower"] } },
  rewardTolerance: { ...price, help: "Fall of the task reward below its reference at which the guard acts" },
  referenceReward: {
    help: "Reference task reward; measured in the warm-up when absent",
    shape: "number",
    optional: true,
  },
  maxSilenceRate: { ...below1, help: "Share of silent utterances above which the guard acts" },
  lowerBy: {
    help: "Share of the price that the guard takes off in a step",
    shape: "shareAbove0",
    optional: true,
    default: 0.1,
    actsWith: ({ action }) => action === "lower",
  },
});

/** Shape and ranges of the options. */
export const budgetOptionsShape: GroupShape<BudgetOptions> = group<BudgetOptions>({
  targetTokens: { help: "Target mean tokens per episode, or units of another cost", shape: "above0" },
  learningRate: { help: "Price change per step and unit above the target", shape: "above0" },
  unit: {
    help: "Unit of prices and violation: a token, or the whole budget",
    shape: { kind: "choice", of: ["token", "budget"] },
    optional: true,
    default: "token",
  },
  initialPrice: { ...price, default: 0, help: "Price in the first step after any warm-up" },
  maxPrice: { help: "Largest price", shape: "above0", optional: true },
  warmupIterations: { ...count, help: "Warm-up steps, which only measure" },
  warmupPrice: {
    ...price,
    default: 0,
    actsWith: ({ warmupIterations }) => Boolean(warmupIterations),
    help: "Price during the warm-up",
  },
  annealIterations: { ...count, help: "Steps over which the target falls from the measured cost" },
  antiWindup: {
    help: "Keeps the integral between 0 and the largest price, and holds it while the price is at the largest",
    shape: "boolean",
    optional: true,
    default: true,
  },
  truncationTolerance: {
    ...below1,
    default: 0.1,
    actsWith: ({ antiWindup }) => antiWindup !== false,
    help: "Share of truncated episodes above which the price cannot fall",
  },
  proportionalGain: { ...price, default: 0, help: "Gain of the present error on the price" },
  derivativeGain: { ...price, default: 0, help: "Adds this times the rise of the smoothed cost to the price" },
  derivativeSmoothing: {
    ...below1,
    default: 0,
    actsWith: ({ derivativeGain }) => Boolean(derivativeGain),
    help: "Weight of the past in the smoothed cost",
  },
  guard: { help: "Protects accuracy while the price rises; absent for none", shape: guardOptionsShape, optional: true },
});
