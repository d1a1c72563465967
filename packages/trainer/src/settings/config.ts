import type { BudgetOptions } from "@laconic/budget";
import type { EpisodeLimits, Sampling, ValuesOf } from "@laconic/core";
import { optimizerTable } from "@laconic/core/backends";
import { gspoClip, type GroupKey } from "@laconic/gspo";
import type { EstimatorName, EstimatorOptions, ObjectiveName, ObjectiveOptions } from "@laconic/gspo/presets";
import type { CostSettings, DecoupledOptions } from "@laconic/rewards";
import type { LearningRateSchedule } from "./schedules.ts";
import * as tables from "./tables.ts";
import type { Value } from "./values.ts";

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

export type CreditSettings = {
  readonly [Kind in keyof typeof tables.creditTables]: { readonly kind: Kind } & ValuesOf<
    (typeof tables.creditTables)[Kind]
  >;
}[keyof typeof tables.creditTables];

export type DivergenceSettings = ValuesOf<typeof tables.divergenceTable>;

export type TreeSettings = ValuesOf<typeof tables.treeTable>;

/** Settings of one policy that differ from the run's. */
export interface PolicySettings {
  readonly objective?: TrainConfig["objective"];
  readonly advantage?: TrainConfig["advantage"];
  readonly learningRate?: LearningRateSchedule | Value<"schedule">;
  readonly optimizer?: Partial<ValuesOf<typeof optimizerTable>>;
  /** Prices and budget count the words of the policy's own agents. */
  readonly prices?: TrainConfig["prices"];
  readonly budget?: BudgetOptions | Value<"budget">;
}

export type ScoringSettings = ValuesOf<typeof tables.scoringTable>;

export type AsynchronousSettings = ValuesOf<typeof tables.asynchronousTable>;

export type OpponentSettings = Omit<ValuesOf<typeof tables.opponentsTable>, "matchmaking"> & {
  readonly matchmaking: ValuesOf<typeof tables.opponentsTable>["matchmaking"] | Value<"matchmaking">;
};
/** How supervised examples join reinforcement learning. */
export type SupervisedSettings = ValuesOf<typeof tables.besideTable> &
  ValuesOf<typeof tables.exampleTable> & { readonly examples?: Value<"examples"> };

export type ObjectiveSettings = { readonly name: ObjectiveName } & ObjectiveOptions;

/** Everything that decides what a run computes. */
export interface TrainConfig extends Omit<ValuesOf<typeof tables.loopTable>, "groupBy"> {
  readonly seed: string | number;
  readonly sampling: Omit<Sampling, "temperature"> & {
    /** Evaluations sample at 1 where this is a schedule. */
    readonly temperature: number | Value<"schedule">;
  };
  readonly groupBy: GroupKey | Value<"grouping">;
  /** Reward of an episode; absent for the task's. */
  readonly reward?: Value<"reward">;
  /** Judges all episodes of a problem together. Its terms are added to the reward's in training. */
  readonly groupReward?: Value<"groupReward">;
  /** Chooses the problems of each step from the pool; absent for an epoch order. */
  readonly curriculum?: Value<"curriculum">;
  /** By name, with its options; `importance`, `offPolicyMask` and `kl` (from the policy before the first step) go with most. */
  readonly objective: ObjectiveSettings | Value<"objective">;
  readonly advantage: AdvantageSettings | Value<"estimator">;
  /** What an episode is charged for, by name of the cost; null is Eq. 1's `tokens`, `turns` and `repetition`. */
  readonly costs: Readonly<Record<string, CostSettings | Value<"cost">>> | null;
  /** λ per unit of each cost, by its name. With a budget, the price of its cost is the budget's. */
  readonly prices: Readonly<Record<string, number>>;
  readonly scoring: ScoringSettings;
  readonly limits: EpisodeLimits;
  /**
   * Null samples each step under the newest weights. Else groups are sampled all the time; a resumed run plays those anew that
   * were in flight.
   */
  readonly asynchronous: AsynchronousSettings | null;
  readonly credit: CreditSettings;
  /** Absent: the team plays as it is, and all learn. */
  readonly opponents?: OpponentSettings;
  /** Null samples `episodesPerProblem` whole episodes; a tree samples as many replies of each agent at each node. */
  readonly tree: TreeSettings | null;
  /** By name of the policy. */
  readonly policies: Readonly<Record<string, PolicySettings>>;
  /** Eq. 5 for the cost `tokens`; null keeps its price fixed. */
  readonly budget: BudgetOptions | Value<"budget"> | null;
  /** Eq. 5 for other costs, by name: of an agent, an edge, what is read. */
  readonly budgets: Readonly<Record<string, BudgetOptions | Value<"budget">>>;
  /** Null learns from rewards alone. */
  readonly supervised: SupervisedSettings | null;
  readonly optimizer: ValuesOf<typeof optimizerTable> & {
    /** Over optimiser steps. */
    readonly learningRate: LearningRateSchedule | Value<"schedule">;
  };
  readonly evaluation: ValuesOf<typeof tables.evaluationTable>;
  /**
   * Ends the run where its training has diverged: the mean grade of the last `steps` steps has lost at least `fall` of its best, and
   * the policy has broken since (its entropy or a step's KL divergence by a nat a token and more); where a broken policy does not
   * recover in four times as many steps; or where no gradient is finite for `steps` steps. Null never does.
   */
  readonly divergence: DivergenceSettings | null;
  /** Ends the run after so many evaluations without a better one; its best checkpoint is kept. Null never does. */
  readonly earlyStopping: ValuesOf<typeof tables.earlyStoppingTable> | Value<"stopping"> | null;
  readonly checkpoint: ValuesOf<typeof tables.checkpointTable>;
}

/** Groups of settings that are filled key by key; every other setting is given as a whole. */
export const filledGroups = ["optimizer", "evaluation", "checkpoint", "scoring"] as const;

type FilledGroup = (typeof filledGroups)[number];

/** An objective as one writes it: one number clips to both sides. */
export type WrittenObjective = Omit<ObjectiveSettings, "clip"> & {
  readonly clip?: NonNullable<ObjectiveSettings["clip"]> | number;
};

/** A configuration as one writes it: what is absent is that of {@link agentGspoDefaults}. */
export type TrainSettings = {
  readonly [
    Key in Exclude<
      keyof TrainConfig,
      FilledGroup | "asynchronous" | "divergence" | "objective" | "opponents" | "policies" | "supervised"
    >
  ]?: TrainConfig[Key];
} & {
  readonly objective?: WrittenObjective | Value<"objective">;
  readonly policies?: Readonly<
    Record<string, Omit<PolicySettings, "objective"> & { readonly objective?: WrittenObjective | Value<"objective"> }>
  >;
  /** What is absent is that of {@link asynchronousDefaults}. */
  readonly asynchronous?: Partial<AsynchronousSettings> | null;
  readonly divergence?: Partial<DivergenceSettings> | null;
  /** What is absent is that of {@link opponentDefaults}; null is as good as absent. */
  readonly opponents?: (Pick<OpponentSettings, "sides"> & Partial<OpponentSettings>) | null;
  /** What is absent is that of {@link supervisedDefaults}. */
  readonly supervised?: Partial<SupervisedSettings> | null;
} & {
  readonly [Key in Exclude<FilledGroup, "optimizer">]?: Partial<TrainConfig[Key]>;
} & {
  readonly optimizer?: Partial<Omit<TrainConfig["optimizer"], "learningRate">> & {
    readonly learningRate?: Partial<LearningRateSchedule> | Value<"schedule">;
  };
};

/** Of runs that ask for asynchronous sampling; ours. Measured: 99 % of the slots in use. */
export const asynchronousDefaults: AsynchronousSettings = tables.defaultsOf(tables.asynchronousTable);

/** Of runs that ask for opponents. */
export const opponentDefaults: Omit<OpponentSettings, "sides"> = tables.defaultsOf(tables.opponentsTable);
/** Of runs that learn from examples too; ours. */
export const supervisedDefaults: SupervisedSettings = {
  ...tables.defaultsOf(tables.besideTable),
  ...tables.defaultsOf(tables.exampleTable),
};

/** The paper's choices where it makes any; the rest are ours and say so. */
export const agentGspoDefaults: TrainConfig = {
  seed: 0,
  ...tables.defaultsOf(tables.loopTable),
  sampling: { temperature: 1, topP: 1 },
  objective: { name: "gspo", clip: gspoClip, minLength: 1 }, // Eq. 3-4, GSPO paper's clip
  advantage: { estimator: "group", scale: "group", std: "sample", epsilon: 1e-6, epsilonForm: "add" }, // Eq. 2
  scoring: tables.defaultsOf(tables.scoringTable),
  limits: {},
  asynchronous: null,
  credit: { kind: "shared" },
  tree: null,
  policies: {},
  costs: null, // tokens, turns, repetition of Eq. 1
  prices: {}, // no λ is given
  budget: null, // optional in Algorithm 1
  budgets: {},
  supervised: null,
  optimizer: { ...tables.defaultsOf(optimizerTable), learningRate: tables.defaultsOf(tables.learningRateTable) },
  evaluation: tables.defaultsOf(tables.evaluationTable),
  divergence: tables.defaultsOf(tables.divergenceTable), // ours
  earlyStopping: null,
  checkpoint: tables.defaultsOf(tables.checkpointTable),
};
