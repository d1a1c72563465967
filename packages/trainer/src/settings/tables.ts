import type { Field, ValuesOf } from "@laconic/core";

/** Settings by name. Types, schemas, help and defaults derive from these tables. */
export type Table = Readonly<Record<string, Field>>;

/** Learning rate over the optimizer steps of a run. */
export const learningRateTable = {
  peak: { help: "Largest learning rate", shape: { kind: "number", above: 0 }, default: 1e-6 }, // GSPO's public script
  warmUpSteps: {
    help: "Optimiser steps of linear rise from 0",
    shape: { kind: "number", integer: true, min: 0 },
    default: 10,
  },
  decay: {
    help: "How it falls afterwards",
    shape: { kind: "choice", of: ["constant", "linear", "cosine"] },
    default: "constant",
  },
  finalFraction: {
    help: "Fraction of the peak that remains at the end of a decay",
    shape: { kind: "number", min: 0, max: 1 },
    default: 1,
  },
} as const;

/** Validation before, during and after training. */
export const evaluationTable = {
  every: {
    help: "Steps between evaluations; 0 evaluates at both ends only",
    shape: { kind: "number", integer: true, min: 0 },
    default: 20,
  },
  problems: {
    help: "Max validation problems of an evaluation",
    shape: { kind: "number", integer: true, min: 1 },
    default: 200,
  },
  transcripts: {
    help: "Transcripts kept with each evaluation",
    shape: { kind: "number", integer: true, min: 0 },
    default: 4,
  },
  /** Keeps the first weights, like a KL term. */
  language: {
    help: "Measures the team's language under the first weights",
    shape: { kind: "boolean" },
    default: false,
  },
} as const;

/** Samples without a score are not in rewards and accuracy; too many end the run. */
export const scoringTable = {
  seconds: {
    help: "Seconds without any score after which a sample has failed",
    shape: { kind: "number", above: 0 },
    default: 300,
  },
  mostUnscored: {
    help: "Share of a step's or an evaluation's samples without a score above which the run ends",
    shape: { kind: "number", min: 0, below: 1 },
    default: 0.5,
  },
} as const;

/** Learning from supervised examples. */
export const exampleTable = {
  turns: {
    help: "Turns of the assistant that are learned: all that an example has, or its last",
    shape: { kind: "choice", of: ["all", "last"] },
    default: "all",
  },
  maxTokens: {
    help: "Max tokens of prompt and completion; null is the model's context",
    shape: { kind: "number", integer: true, min: 2 },
    nullable: true,
    default: null,
  },
  long: {
    help: "Whether a longer example ends the run before it begins, or its completion is cut",
    shape: { kind: "choice", of: ["refuse", "truncate"] },
    default: "refuse",
  },
  agent: {
    help: "Whose policy learns examples that name neither agent nor policy; all policies when absent",
    shape: { kind: "text", notEmpty: true },
    optional: true,
  },
} as const;

/** Further options of supervised examples; see {@link exampleTable}. */
export const besideTable = {
  batch: { help: "Examples of each optimiser step", shape: { kind: "number", integer: true, min: 1 }, default: 8 },
  weight: {
    help: "Factor of their mean cross-entropy per token in the loss",
    shape: { kind: "number", above: 0 },
    default: 0.1,
  },
} as const;

/** Criteria of a diverged run: grades and policy have both broken. */
export const divergenceTable = {
  fall: {
    help: "Share of the best mean grade that has to be lost",
    shape: { kind: "number", above: 0, below: 1 },
    default: 0.5,
  },
  steps: {
    help: "Training steps in a row, over which grades are averaged",
    shape: { kind: "number", integer: true, min: 1 },
    default: 3,
  },
} as const;

export const earlyStoppingTable = {
  patience: { help: "Evaluations without a better one", shape: { kind: "number", integer: true, min: 1 } },
  minGain: { help: "Gain of accuracy that counts as better", shape: { kind: "number", min: 0 } },
} as const;

export const checkpointTable = {
  every: { help: "Steps between checkpoints", shape: { kind: "number", integer: true, min: 1 }, default: 20 },
  keep: { help: "Checkpoints that are kept", shape: { kind: "number", integer: true, min: 2 }, default: 2 },
} as const;

/** Single-valued settings of `train`. Defaults without a source are ours. */
export const loopTable = {
  steps: { help: "Steps of training", shape: { kind: "number", integer: true, min: 1 }, default: 100 },
  problemsPerStep: { help: "Problems of a step", shape: { kind: "number", integer: true, min: 1 }, default: 16 },
  episodesPerProblem: {
    help: "Episodes of a problem: the group size G of Eq. 2",
    shape: { kind: "number", integer: true, min: 1 },
    default: 8,
  },
  // The GSPO paper uses 4.
  minibatches: {
    help: "Parts of a step's batch, one optimiser step each",
    shape: { kind: "number", integer: true, min: 1 },
    default: 2,
  },
  epochs: { help: "Passes over a step's batch", shape: { kind: "number", integer: true, min: 1 }, default: 1 }, // Algorithm 1 makes one pass
  refreshOldPolicyEvery: {
    help: "Steps between refreshes of the old policy (Algorithm 1, line 11)",
    shape: { kind: "number", integer: true, min: 1 },
    default: 1,
  },
  /** The gap is always measured. */
  oldLogProbs: {
    help: "Log-probs of the old policy: computed again by the trainer, or those of the sampler",
    shape: { kind: "choice", of: ["recompute", "sampler"] },
    default: "recompute",
  },
  groupBy: {
    help: "Which rewards an advantage is computed among",
    shape: { kind: "choice", of: ["prompt", "prompt+agent", "prompt+agent+turn", "tree-node"] },
    default: "prompt", // Eq. 2: over the G replies to one query
  },
  weightBy: {
    help: "What counts once among the rewards of a group: an episode, however often an agent spoke, or each of its turns",
    shape: { kind: "choice", of: ["episode", "turn"] },
    default: "episode", // Eq. 2: a mean over G samples
  },
  ratioUnit: {
    help: "What an importance ratio is of: a message, an agent's turn, its whole episode, or the whole team's",
    shape: { kind: "choice", of: ["message", "turn", "trajectory", "joint"] },
    default: "message", // Eq. 3: an action is an utterance
  },
  /** Asynchronous runs drop the group, and end after a step's worth of consecutive failures. */
  onAgentError: {
    help: "Whether an agent's error ends the run, or its episode, which is then left out of rewards",
    shape: { kind: "choice", of: ["throw", "end"] },
    default: "throw",
  },
  problemPool: {
    help: "Problems that all steps draw from, each once an epoch; null for all",
    shape: { kind: "number", integer: true, min: 1 },
    nullable: true,
    default: null,
  },
  costWhenTaskAtLeast: {
    help: "Charges costs only to episodes whose grade is at least this",
    shape: { kind: "number", above: 0, max: 1 },
    optional: true,
  },
} as const;

export const asynchronousTable = {
  /** Max (`maxLag` + 1) `problemsPerStep`. Fleets with more slots than a step has calls need more groups. */
  activeGroups: {
    help: "Groups in flight; null for one more than a step has problems",
    shape: { kind: "number", integer: true, min: 1 },
    nullable: true,
    default: null,
  },
  maxLag: {
    help: "Max steps that the weights behind a group may be old when it trains",
    shape: { kind: "number", integer: true, min: 1 },
    default: 8,
  },
  /** `dropped.jsonl` lists dropped groups. */
  stale: {
    help: "Whether a group that would become older holds up the step, or is dropped",
    shape: { kind: "choice", of: ["wait", "drop"] },
    default: "wait",
  },
  importanceCap: {
    help: "An advantage counts by how likelier its reply has become since, at most so much",
    shape: { kind: "number", above: 1 },
    default: 2,
  },
  retries: {
    help: "Times that an episode is played again whose model fails",
    shape: { kind: "number", integer: true, min: 0 },
    default: 2,
  },
} as const;

/** MAGRPO's rollout trees. */
export const treeTable = {
  /** Children per node: G, or G to the number of agents. */
  mode: {
    help: "Whether replies of agents join by number, or each with each",
    shape: { kind: "choice", of: ["aligned", "cross"] },
  },
  gamma: { help: "Discount between turns", shape: { kind: "number", min: 0, max: 1 } },
  stopAbove: {
    help: "Mean grade of joint replies above which a node has no branches; null expands all",
    shape: { kind: "number" },
    nullable: true,
  },
} as const;

/** Credit options by `kind`. */
export const creditTables = {
  // Every utterance gets the episode's reward.
  shared: {},
  // Reward minus that of the same episode with the speaker silent; one more episode per trained agent.
  difference: {},
} as const;

export const opponentsTable = {
  /** Sides alternate by game. The other agents learn. */
  sides: {
    help: "Agents that one opponent plays together",
    shape: { kind: "list", of: { kind: "list", of: { kind: "text", notEmpty: true }, least: 1 }, least: 1 },
  },
  latest: { help: "Share of games without an opponent", shape: { kind: "number", min: 0, below: 1 }, default: 0.8 }, // OpenAI Five: 80 %
  matchmaking: {
    help: "How an opponent is drawn from the pool",
    shape: { kind: "choice", of: ["uniform", "hard", "even"] },
    default: "uniform",
  },
  draw: {
    help: "One opponent for all episodes of a problem, or one for each",
    shape: { kind: "choice", of: ["group", "episode"] },
    default: "group",
  },
  /** The first past self has the initial weights. */
  every: { help: "Steps between past selves", shape: { kind: "number", integer: true, min: 1 }, default: 10 },
  keep: { help: "Max past selves that are kept", shape: { kind: "number", integer: true, min: 1 }, default: 4 },
  /** Oldest, easiest to beat, or the one whose removal keeps the others evenly spread. */
  drop: {
    help: "Which past self leaves a full pool",
    shape: { kind: "choice", of: ["oldest", "beaten", "spread"] },
    default: "oldest",
  },
  runs: {
    help: "Other runs in the pool: a run's folder, or with `/POLICY` one policy of it",
    shape: { kind: "list", of: { kind: "text", notEmpty: true } },
    default: [],
  },
  against: {
    help: "Whom evaluations are played against beside the team itself: `pool`, or other runs by name",
    shape: { kind: "list", of: { kind: "text", notEmpty: true } },
    default: [],
  },
  priced: {
    help: "Costs that count opponents' words too",
    shape: { kind: "list", of: { kind: "text", notEmpty: true } },
    default: [],
  },
} as const;

type DefaultsOf<T extends Table> = ValuesOf<{
  readonly [Name in keyof T as T[Name] extends { readonly default: unknown } ? Name : never]: T[Name];
}>;

export function defaultsOf<const T extends Table>(table: T): DefaultsOf<T> {
  const rows = Object.entries(table).filter(([, row]) => "default" in row);
  return Object.fromEntries(rows.map(([name, row]) => [name, row.default])) as DefaultsOf<T>;
}
