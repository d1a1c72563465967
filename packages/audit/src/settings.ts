type Json = Readonly<Record<string, unknown>>;

/** A budget of Eq. 5 as a configuration writes it. */
export interface BudgetSettings {
  readonly targetTokens: number;
  readonly learningRate: number;
  readonly unit?: string;
  readonly initialPrice?: number;
  readonly maxPrice?: number;
  readonly warmupIterations?: number;
  readonly warmupPrice?: number;
  readonly annealIterations?: number;
  readonly antiWindup?: boolean;
  readonly truncationTolerance?: number;
  readonly proportionalGain?: number;
  readonly derivativeGain?: number;
  readonly derivativeSmoothing?: number;
  readonly guard?: {
    readonly action: string;
    readonly rewardTolerance?: number;
    readonly referenceReward?: number;
    readonly maxSilenceRate?: number;
    readonly lowerBy?: number;
  };
}

/** A learning rate over optimiser steps. */
export interface ScheduleSettings {
  readonly peak: number;
  readonly warmUpSteps: number;
  readonly decay: string;
  readonly finalFraction: number;
}

/** An objective by name with its options; a text is a value of the user's own. */
export interface ObjectiveSettings {
  readonly name: string;
  readonly clip?: { readonly low: number; readonly high: number };
  readonly aggregation?: string;
  readonly constantLength?: number;
  readonly minLength?: number;
  readonly dualClip?: number;
  readonly maxRatio?: number;
  readonly minRatio?: number;
  readonly positiveTemperature?: number;
  readonly negativeTemperature?: number;
  readonly positive?: readonly [number, number];
  readonly negative?: readonly [number, number];
  readonly kl?: { readonly estimator: string; readonly coefficient: number; readonly biasCorrection?: boolean };
  readonly importance?: ImportanceSettings;
  readonly offPolicyMask?: number;
}

/** A correction for samples of other weights or other kernels. */
export interface ImportanceSettings {
  readonly kind: string;
  readonly level: string;
  readonly cap: number;
  readonly veto?: number;
  /** Corrects only where the mean |log π_old - log π of the sampler| of an optimiser step is above it. */
  readonly gapAbove?: number;
}

/** An estimator by name with its options. */
export interface AdvantageSettings extends Json {
  readonly estimator: string;
}

/** What a policy does otherwise than the run. */
export interface OwnSettings {
  readonly objective?: ObjectiveSettings | string;
  readonly advantage?: AdvantageSettings | string;
  readonly learningRate?: ScheduleSettings;
  readonly prices?: Readonly<Record<string, number>>;
  readonly budget?: BudgetSettings;
}

/** `train` of a run's `config.json`, as far as an audit reads it. */
export interface TrainSettings {
  readonly steps: number;
  readonly problemsPerStep: number;
  readonly episodesPerProblem: number;
  readonly minibatches: number;
  readonly epochs: number;
  readonly refreshOldPolicyEvery: number;
  readonly oldLogProbs: string;
  readonly sampling: { readonly temperature: number };
  readonly objective: ObjectiveSettings | string;
  readonly advantage: AdvantageSettings | string;
  readonly groupBy: string;
  readonly ratioUnit: string;
  readonly costs: Readonly<Record<string, unknown>> | null;
  readonly prices: Readonly<Record<string, number>>;
  readonly costWhenTaskAtLeast?: number;
  readonly asynchronous: {
    readonly maxLag: number;
    readonly importanceCap: number;
    readonly cutStragglers?: unknown;
  } | null;
  readonly credit: { readonly kind: string; readonly alpha?: number };
  readonly tree: { readonly gamma: number } | null;
  readonly policies: Readonly<Record<string, OwnSettings>>;
  readonly budget: BudgetSettings | null;
  readonly budgets: Readonly<Record<string, BudgetSettings>>;
  readonly optimizer: {
    readonly beta1: number;
    readonly beta2: number;
    readonly epsilon: number;
    readonly weightDecay: number;
    /** Null never clips. */
    readonly maxGradNorm: number | null;
    readonly learningRate: ScheduleSettings;
  };
}

/** Settings of a policy, over the run's. */
export function settingsOf(train: TrainSettings, policy: string): TrainSettings & { readonly hasOwnBudget: boolean } {
  const own = Object.hasOwn(train.policies, policy) ? (train.policies[policy] ?? {}) : {};
  const { learningRate, ...rest } = own;
  return {
    ...train,
    ...rest,
    ...(learningRate && { optimizer: { ...train.optimizer, learningRate } }),
    hasOwnBudget: own.prices !== undefined || own.budget !== undefined,
  };
}

/** Learning rate of an optimiser step, counted from 0: linear rise, then constant, a line or half a cosine. */
export function rateAt({ peak, warmUpSteps, decay, finalFraction }: ScheduleSettings, at: number, of: number): number {
  if (at < warmUpSteps) return (peak / warmUpSteps) * (at + 1);
  if (decay === "constant") return peak;
  const done = Math.min((at - warmUpSteps) / Math.max(of - warmUpSteps, 1), 1);
  const height = decay === "linear" ? 1 - done : (1 + Math.cos(done * Math.PI)) / 2;
  return peak * (1 - (1 - finalFraction) * (1 - height));
}
