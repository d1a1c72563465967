import type { BudgetOptions } from "@laconic/budget";
import type { EpisodeLimits, Sampling, ValuesOf } from "@laconic/core";
import { optimizerTable } from "@laconic/core/backends";
import { gspoClip, type GroupKey } from "@laconic/gspo";
import type { EstimatorName, EstimatorOptions, ObjectiveName, ObjectiveOptions } from "@laconic/gspo/presets";
import type { CostSettings, DecoupledOptions } from "@laconic/rewards";
import type { LearningRateSchedule } from "./schedules.ts";
import * as tables from "./tables.ts";
import type { Value } from "./values.ts";

/** Named estimator. `group` with `scale: "group"` is Eq. 2 as printed. */
export type AdvantageSettings =
  | {
      readonly [Name in EstimatorName]: { readonly estimator: Name } & (EstimatorOptions[Name] extends Readonly<
        Record<string, never>
      >
        ? unknown
        : EstimatorOptions[Name]);
    }[EstimatorName]
  /** Normalises terms and costs separately (GDPO); prices of Eq. 1 weight the costs. */
  | ({ readonly estimator: "decoupled" } & Omit<DecoupledOptions, "weights" | "costWhenTaskAtLeast">);

/** Settings of credit per agent and turn. */
export type CreditSettings = {
  readonly [Kind in keyof typeof tables.creditTables]: { readonly kind: Kind } & ValuesOf<
    (typeof tables.creditTables)[Kind]
  >;
}[keyof typeof tables.creditTables];

/** Settings of the divergence stop. */
export type DivergenceSettings = ValuesOf<typeof tables.divergenceTable>;

/** Settings of tree rollouts. */
export type TreeSettings = ValuesOf<typeof tables.treeTable>;

/** Settings of a policy that differ from the run's. */
export interface PolicySettings {
  readonly objective?: TrainConfig["objective"];
  readonly advantage?: TrainConfig["advantage"];
  readonly learningRate?: LearningRateSchedule | Value<"schedule">;
  readonly optimizer?: Partial<ValuesOf<typeof optimizerTable>>;
  /** Prices and budget of the policy's agents. */
  readonly prices?: TrainConfig["prices"];
  readonly budget?: BudgetOptions | Value<"budget">;
}

/** Limits of scoring an episode. */
export type ScoringSettings = ValuesOf<typeof tables.scoringTable>;

/** Settings of the asynchronous queue. */
export type AsynchronousSettings = ValuesOf<typeof tables.asynchronousTable>;

/** Settings of an opponent pool. */
export type OpponentSettings = Omit<ValuesOf<typeof tables.opponentsTable>, "matchmaking"> & {
  readonly matchmaking: ValuesOf<typeof tables.opponentsTable>["matchmaking"] | Value<"matchmaking">;
};
/** Combines supervised examples with reinforcement learning. */
export type SupervisedSettings = ValuesOf<typeof tables.besideTable> &
  ValuesOf<typeof tables.exampleTable> & { readonly examples?: Value<"examples"> };

/** Name and options of an objective. */
export type ObjectiveSettings = { readonly name: ObjectiveName } & ObjectiveOptions;

/** Complete configuration. */
export interface TrainConfig extends Omit<ValuesOf<typeof tables.loopTable>, "groupBy"> {
  readonly seed: string | number;
  readonly sampling: Omit<Sampling, "temperature"> & {
    /** Sampling temperature; evaluations use theirs, or 1 instead of a schedule. */
    readonly temperature: number | Value<"schedule">;
  };
  readonly groupBy: GroupKey | Value<"grouping">;
  /** Default: the task's reward. */
  readonly reward?: Value<"reward">;
  /** Scores a problem's episodes jointly; adds terms to the reward in training. */
  readonly groupReward?: Value<"groupReward">;
  /** Chooses each step's problems. Default: epoch order. */
  readonly curriculum?: Value<"curriculum">;
  /** Most support `importance`, `offPolicyMask` and `kl` (from the policy before the first step). */
  readonly objective: ObjectiveSettings | Value<"objective">;
  readonly advantage: AdvantageSettings | Value<"estimator">;
  /** Costs by name; null for Eq. 1's `tokens`, `turns` and `repetition`. */
  readonly costs: Readonly<Record<string, CostSettings | Value<"cost">>> | null;
  /** λ per unit of cost. Budgets set the price of their cost. */
  readonly prices: Readonly<Record<string, number>>;
  readonly scoring: ScoringSettings;
  readonly limits: EpisodeLimits;
  /**
   * Concurrent sampling; a resumed run replays groups in flight. If null, each step samples with the newest weights.
   */
  readonly asynchronous: AsynchronousSettings | null;
  readonly credit: CreditSettings | Value<"credit">;
  /** Absent: no opponents, all agents learn. */
  readonly opponents?: OpponentSettings;
  /** Samples `episodesPerProblem` replies per agent and node; if null, whole episodes. */
  readonly tree: TreeSettings | null;
  readonly policies: Readonly<Record<string, PolicySettings>>;
  /** Eq. 5 for the cost `tokens`; null fixes its price. */
  readonly budget: BudgetOptions | Value<"budget"> | null;
  /** Eq. 5 for other costs: of an agent, an edge, or reading. */
  readonly budgets: Readonly<Record<string, BudgetOptions | Value<"budget">>>;
  /** Supervised examples; null for rewards alone. */
  readonly supervised: SupervisedSettings | null;
  readonly optimizer: ValuesOf<typeof optimizerTable> & {
    /** Rate over optimizer steps. */
    readonly learningRate: LearningRateSchedule | Value<"schedule">;
  };
  readonly evaluation: ValuesOf<typeof tables.evaluationTable>;
  /**
   * Stops a diverged run; null disables it. Conditions:
   * - mean grade of the last `steps` steps is `fall` below its best, and the policy has broken (entropy or a step's KL
   * changed by 1 nat per token),
   * - no recovery of a broken policy within four times as many steps, or
   * - no finite gradient for `steps` steps.
   */
  readonly divergence: DivergenceSettings | null;
  /** Stops after evaluations without improvement and keeps the best checkpoint; null disables it. */
  readonly earlyStopping: ValuesOf<typeof tables.earlyStoppingTable> | Value<"stopping"> | null;
  readonly checkpoint: ValuesOf<typeof tables.checkpointTable>;
}

/** Objective as written by users: a single clip number applies to both sides. */
export type WrittenObjective = Omit<ObjectiveSettings, "clip"> & {
  readonly clip?: NonNullable<ObjectiveSettings["clip"]> | number;
};

/** Settings with a shorter form for users: defaults fill them key by key. */
interface ShortForms extends Pick<Partials, "evaluation" | "checkpoint" | "scoring"> {
  readonly objective: WrittenObjective | Value<"objective">;
  readonly policies: Readonly<
    Record<string, Omit<PolicySettings, "objective"> & { readonly objective?: WrittenObjective | Value<"objective"> }>
  >;
  /** Defaults: {@link asynchronousDefaults}. */
  readonly asynchronous: Partial<AsynchronousSettings> | null;
  readonly divergence: Partial<DivergenceSettings> | null;
  /** Defaults: {@link opponentDefaults}. */
  readonly opponents: (Pick<OpponentSettings, "sides"> & Partial<OpponentSettings>) | null;
  /** Defaults: {@link supervisedDefaults}. */
  readonly supervised: Partial<SupervisedSettings> | null;
  readonly optimizer: Partial<Omit<TrainConfig["optimizer"], "learningRate">> & {
    readonly learningRate?: Partial<LearningRateSchedule> | Value<"schedule">;
  };
}

type Partials = { readonly [Key in keyof TrainConfig]: Partial<TrainConfig[Key]> };

/** Partial configuration. Defaults: {@link agentGspoDefaults}. */
export type TrainSettings = {
  readonly [Key in keyof TrainConfig]?: Key extends keyof ShortForms ? ShortForms[Key] : TrainConfig[Key];
};

/** Defaults for asynchronous sampling. Measured: 99 % of the slots in use. */
export const asynchronousDefaults: AsynchronousSettings = tables.defaultsOf(tables.asynchronousTable);

/** Defaults for opponents. */
export const opponentDefaults: Omit<OpponentSettings, "sides"> = tables.defaultsOf(tables.opponentsTable);
/** Defaults for supervised examples. */
export const supervisedDefaults: SupervisedSettings = {
  ...tables.defaultsOf(tables.besideTable),
  ...tables.defaultsOf(tables.exampleTable),
};

/** Defaults of the paper; others are marked as ours. */
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
  prices: {}, // the paper has no λ
  budget: null, // optional in Algorithm 1
  budgets: {},
  supervised: null,
  optimizer: { ...tables.defaultsOf(optimizerTable), learningRate: tables.defaultsOf(tables.learningRateTable) },
  evaluation: tables.defaultsOf(tables.evaluationTable),
  divergence: tables.defaultsOf(tables.divergenceTable), // ours
  earlyStopping: null,
  checkpoint: tables.defaultsOf(tables.checkpointTable),
};
