import type { BudgetOptions } from "@laconic/budget";
import type { EpisodeLimits, Sampling } from "@laconic/core";
import type { GroupKey, RatioUnit } from "@laconic/gspo";
import type { EstimatorName, EstimatorOptions, ObjectiveName, ObjectiveOptions } from "@laconic/gspo/presets";
import type { CostSettings, DecoupledOptions } from "@laconic/rewards";
import { divergenceDefaults, type DivergenceSettings } from "./divergence.ts";
import type { LearningRateSchedule } from "./learning-rate.ts";

/** How rewards become advantages: an estimator by name, with its options. `group` with `scale: "group"` is Eq. 2 as printed. */
export type AdvantageSettings =
  | {
      readonly [Name in EstimatorName]: { readonly estimator: Name } & (EstimatorOptions[Name] extends Readonly<
        Record<string, never>
      >
        ? unknown
        : EstimatorOptions[Name]);
    }[EstimatorName]
  /** Terms and costs normalised apart (GDPO); the prices of Eq. 1 are the weights of the costs. */
  | ({ readonly estimator: "decoupled" } & Omit<DecoupledOptions, "weights" | "costWhenTaskAtLeast">);

/** How a team's reward becomes that of an utterance. */
export type CreditSettings =
  /** Every utterance gets the episode's reward. */
  | { readonly kind: "shared" }
  /** The reward less that of the same episode with the speaker silent; one more episode for each trained agent. */
  | { readonly kind: "difference" }
  /** MARTI's shaping: the utterance's own grade, moved by how the rounds before did. */
  | { readonly kind: "margin" | "quality"; readonly alpha: number };

/** MAGRPO's rollout trees. */
export interface TreeSettings {
  /** Replies join reply by reply, or each with each: G children of a node, or G to the number of agents. */
  readonly mode: "aligned" | "cross";
  /** Discount between turns. */
  readonly gamma: number;
  /** A node whose joint replies have a mean grade above this has no branches; null expands all. */
  readonly stopAbove: number | null;
}

/** What one policy does otherwise than the run. */
export interface PolicySettings {
  readonly objective?: TrainConfig["objective"];
  readonly advantage?: AdvantageSettings;
  readonly learningRate?: LearningRateSchedule;
  /** Prices and budget count the words of the policy's own agents. */
  readonly prices?: TrainConfig["prices"];
  readonly budget?: BudgetOptions;
}

/** Samples without a score are left out of rewards and accuracy, and counted; too many end the run. */
export interface ScoringSettings {
  /** A sample has failed when it waited so long in which no other was judged either. */
  readonly seconds: number;
  /** Share of a step's or an evaluation's samples without a score above which the run ends, below 1. */
  readonly mostUnscored: number;
}

/** Sampling beside training: groups are played all the time, and a step takes the first that are complete. */
export interface AsynchronousSettings {
  /**
   * So many groups' worth of episodes are played at once, at most (`maxLag` + 1) `problemsPerStep`; null for `problemsPerStep` + 1,
   * which keeps a fleet busy that answers the calls of one step at once. Give a larger fleet its own number of groups.
   */
  readonly activeGroups: number | null;
  /** Max steps that the weights behind a group may be old when it trains. */
  readonly maxLag: number;
  /** A group that would become older holds up the step that must take it, or is dropped and named in `dropped.jsonl`. */
  readonly stale: "wait" | "drop";
  /** An advantage counts by how likelier its reply has become since, at most so much. */
  readonly importanceCap: number;
  /** Times that an episode whose model fails is played again; then its group is dropped and named. */
  readonly retries: number;
  /**
   * Null waits for every episode of a group. Else a group of which `afterShare` is over trains without those that take
   * `seconds` more: long replies are then left out more often than short ones.
   */
  readonly cutStragglers: { readonly afterShare: number; readonly seconds: number } | null;
}

/** Everything that decides what a run computes. Plain data: the same configuration and seed give the same run. */
export interface TrainConfig {
  readonly seed: string | number;
  readonly steps: number;
  /** Queries per step. */
  readonly problemsPerStep: number;
  /** G of Eq. 2. */
  readonly episodesPerProblem: number;
  /** Parts of a batch, one optimiser step each. */
  readonly minibatches: number;
  /** Passes over a batch. */
  readonly epochs: number;
  /** Steps between refreshes of the old policy (Algorithm 1, line 11). */
  readonly refreshOldPolicyEvery: number;
  /**
   * Recompute log π_old with the trainer's forward pass, or take the sampler's where both run the same kernels. Either
   * way the gap between the two is measured.
   */
  readonly oldLogProbs: "recompute" | "sampler";
  readonly sampling: Sampling;
  /** By name, with its options; `importance`, `offPolicyMask` and `kl` (from the policy before the first step) go with most. */
  readonly objective: { readonly name: ObjectiveName } & ObjectiveOptions;
  readonly advantage: AdvantageSettings;
  readonly groupBy: GroupKey;
  readonly ratioUnit: RatioUnit;
  /** What an episode is charged for, by name of the cost; null is Eq. 1's `tokens`, `turns` and `repetition`. */
  readonly costs: Readonly<Record<string, CostSettings>> | null;
  /** λ per unit of each cost, by its name. With a budget, the price of its cost is the budget's. */
  readonly prices: Readonly<Record<string, number>>;
  /** Charge costs only to episodes whose grade is at least this. */
  readonly costWhenTaskAtLeast?: number;
  /** Of graders and judges: what happens to samples that get no score. */
  readonly scoring: ScoringSettings;
  /** Ceilings of an episode. */
  readonly limits: EpisodeLimits;
  /**
   * What an agent's error does: end the run, or its episode, which is then left out of rewards. In an asynchronous run `throw`
   * ends the group at first, and the run when as many groups as a step has fail in a row.
   */
  readonly onAgentError: "throw" | "end";
  /**
   * Null samples each step under the newest weights. Else groups are sampled all the time; a resumed run plays those anew that
   * were in flight.
   */
  readonly asynchronous: AsynchronousSettings | null;
  readonly credit: CreditSettings;
  /** Null samples `episodesPerProblem` whole episodes; a tree samples as many replies of each agent at each node. */
  readonly tree: TreeSettings | null;
  /** By name of the policy. */
  readonly policies: Readonly<Record<string, PolicySettings>>;
  /**
   * Problems that all steps draw from, each once an epoch, in an order of the seed; the first that the task makes, or so many
   * of those it has. Null takes all that the task has, or makes new ones in each step where it makes them.
   */
  readonly problemPool: number | null;
  /** Eq. 5 for the cost `tokens`; null keeps its price fixed. */
  readonly budget: BudgetOptions | null;
  /** Eq. 5 for other costs, by name: of an agent, an edge, what is read. */
  readonly budgets: Readonly<Record<string, BudgetOptions>>;
  readonly optimizer: {
    readonly beta1: number;
    readonly beta2: number;
    readonly epsilon: number;
    readonly weightDecay: number;
    /** Most of the global gradient norm; null never clips, as where a remote engine has no way to. */
    readonly maxGradNorm: number | null;
    /** Over optimiser steps. */
    readonly learningRate: LearningRateSchedule;
  };
  /**
   * Held-out evaluation before, every so many steps, and after; 0 evaluates at both ends only. With each go transcripts:
   * of the first held-out problems, and of the first training episodes of the step. With `language` the first weights are kept,
   * and every evaluation says how what is said looks to them; a KL term keeps them anyway.
   */
  readonly evaluation: {
    readonly every: number;
    readonly problems: number;
    readonly transcripts: number;
    readonly language: boolean;
  };
  /**
   * Ends the run where its training has diverged: the mean grade of the last `steps` steps has lost at least `fall` of its best, and
   * the policy has broken since (its entropy or a step's KL divergence by a nat a token and more); where a broken policy does not
   * recover in four times as many steps; or where no gradient is finite for `steps` steps. Null never does.
   */
  readonly divergence: DivergenceSettings | null;
  /** Ends the run after so many evaluations without a better one; its best checkpoint is kept. Null never does. */
  readonly earlyStopping: { readonly patience: number; readonly minGain: number } | null;
  readonly checkpoint: { readonly every: number; readonly keep: number };
}

/** Groups of settings that are filled key by key; every other setting is given as a whole. */
type FilledGroup = "optimizer" | "evaluation" | "checkpoint" | "scoring";

/** A configuration as one writes it: what is absent is that of {@link agentGspoDefaults}. */
export type TrainSettings = {
  readonly [Key in Exclude<keyof TrainConfig, FilledGroup | "asynchronous" | "divergence">]?: TrainConfig[Key];
} & {
  /** What is absent is that of {@link asynchronousDefaults}. */
  readonly asynchronous?: Partial<AsynchronousSettings> | null;
  readonly divergence?: Partial<DivergenceSettings> | null;
} & {
  readonly [Key in Exclude<FilledGroup, "optimizer">]?: Partial<TrainConfig[Key]>;
} & {
  readonly optimizer?: Partial<Omit<TrainConfig["optimizer"], "learningRate">> & {
    readonly learningRate?: Partial<LearningRateSchedule>;
  };
};

/** Of runs that ask for asynchronous sampling; ours. Measured by `bench/archive/queue-forecast.ts target`: 99 % of the slots in use. */
export const asynchronousDefaults: AsynchronousSettings = {
  activeGroups: null,
  maxLag: 8,
  stale: "wait",
  importanceCap: 2,
  retries: 2,
  cutStragglers: null,
};

/** The paper's choices where it makes any; the rest are ours and say so. */
export const agentGspoDefaults: TrainConfig = {
  seed: 0,
  steps: 100, // ours
  problemsPerStep: 16, // ours
  episodesPerProblem: 8, // G is not given
  minibatches: 2, // ours; the GSPO paper uses 4
  epochs: 1, // Algorithm 1 makes one pass
  refreshOldPolicyEvery: 1, // "periodically" in Algorithm 1
  oldLogProbs: "recompute",
  sampling: { temperature: 1 },
  objective: { name: "gspo" }, // Eq. 3-4, GSPO paper's clip
  advantage: { estimator: "group", scale: "group", std: "sample", epsilon: 1e-6 }, // Eq. 2
  groupBy: "prompt", // Eq. 2: over the G replies to one query
  ratioUnit: "message", // Eq. 3: an action is an utterance
  scoring: { seconds: 300, mostUnscored: 0.5 }, // ours
  limits: {},
  onAgentError: "throw",
  asynchronous: null,
  credit: { kind: "shared" },
  tree: null,
  policies: {},
  problemPool: null,
  costs: null, // tokens, turns, repetition of Eq. 1
  prices: {}, // no λ is given
  budget: null, // optional in Algorithm 1
  budgets: {},
  optimizer: {
    beta1: 0.9,
    beta2: 0.95,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradNorm: 1,
    learningRate: { peak: 1e-6, warmUpSteps: 10, decay: "constant", finalFraction: 1 }, // GSPO's public script
  },
  evaluation: { every: 20, problems: 200, transcripts: 4, language: false },
  divergence: divergenceDefaults, // ours
  earlyStopping: null,
  checkpoint: { every: 20, keep: 2 },
};
