import type { Field, ValuesOf } from "@laconic/core";

/** Settings by name. Types, schemas, help and defaults derive from these tables. */
export type Table = Readonly<Record<string, Field>>;

export const learningRateTable = {
  peak: { help: "Largest learning rate", shape: "above0", default: 1e-6 }, // GSPO's public script
  warmUpSteps: { help: "Optimizer steps of linear warm-up from 0", shape: "count", default: 10 },
  decay: {
    help: "Decay after warm-up",
    shape: { kind: "choice", of: ["constant", "linear", "cosine"] },
    default: "constant",
  },
  finalFraction: { help: "Final learning rate as a fraction of the peak", shape: "share", default: 1 },
} as const;

export const evaluationTable = {
  every: { help: "Steps between evaluations; 0 evaluates at start and end only", shape: "count", default: 20 },
  problems: { help: "Max validation problems of an evaluation", shape: "positive", default: 200 },
  transcripts: { help: "Transcripts stored per evaluation", shape: "count", default: 4 },
  temperature: {
    help: "Sampling temperature of evaluations (default: the training's, or 1 instead of a schedule)",
    shape: "above0",
    nullable: true,
    default: null,
  },
  /** Keeps the first weights, like a KL term. */
  language: { help: "Perplexity of the team's language under the initial weights", shape: "boolean", default: false },
} as const;

/** Samples without a score are not in rewards and accuracy; too many end the run. */
export const scoringTable = {
  seconds: { help: "Timeout of a sample's score in seconds", shape: "above0", default: 300 },
  mostUnscored: { help: "Max share of unscored samples in a step or evaluation", shape: "shareBelow1", default: 0.5 },
} as const;

export const exampleTable = {
  turns: {
    help: "Assistant turns to learn: all of an example, or its last",
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
    help: "Handling of longer examples: error at start, or truncation",
    shape: { kind: "choice", of: ["refuse", "truncate"] },
    default: "refuse",
  },
  agent: {
    help: "Agent whose policy learns unassigned examples (default: all policies)",
    shape: "name",
    optional: true,
  },
} as const;

/** Further options of supervised examples; see {@link exampleTable}. */
export const besideTable = {
  batch: { help: "Examples of each optimizer step", shape: "positive", default: 8 },
  weight: { help: "Weight of their mean cross-entropy per token in the loss", shape: "above0", default: 0.1 },
} as const;

/** Criteria of a diverged run: grades and policy have both broken. */
export const divergenceTable = {
  fall: {
    help: "Loss that counts, as a share of the best mean grade",
    shape: { kind: "number", above: 0, below: 1 },
    default: 0.5,
  },
  steps: { help: "Consecutive training steps over which grades are averaged", shape: "positive", default: 3 },
} as const;

export const earlyStoppingTable = {
  patience: { help: "Evaluations without improvement before stopping", shape: "positive" },
  minGain: { help: "Min gain of accuracy that counts as improvement", shape: "atLeast0" },
} as const;

export const checkpointTable = {
  every: { help: "Steps between checkpoints", shape: "positive", default: 20 },
  keep: { help: "Checkpoints to keep", shape: { kind: "number", integer: true, min: 2 }, default: 2 },
} as const;

/** Single-valued settings of `train`. Defaults without a source are ours. */
export const loopTable = {
  steps: { help: "Training steps", shape: "positive", default: 100 },
  problemsPerStep: { help: "Problems per step", shape: "positive", default: 16 },
  episodesPerProblem: { help: "Episodes per problem: group size G of Eq. 2", shape: "positive", default: 8 },
  // The GSPO paper uses 4.
  minibatches: { help: "Minibatches per step, one optimizer step each", shape: "positive", default: 2 },
  epochs: { help: "Passes over a step's batch", shape: "positive", default: 1 }, // Algorithm 1 makes one pass
  refreshOldPolicyEvery: {
    help: "Steps between refreshes of the old policy (Algorithm 1, line 11)",
    shape: "positive",
    default: 1,
  },
  oldLogProbs: {
    help: "Log-probs of the old policy: recomputed by the trainer, or the sampler's",
    shape: { kind: "choice", of: ["recompute", "sampler"] },
    default: "recompute",
  },
  groupBy: {
    help: "Grouping of rewards for advantages",
    shape: { kind: "choice", of: ["prompt", "prompt+agent", "prompt+agent+turn", "tree-node"] },
    default: "prompt", // Eq. 2: over the G replies to one query
  },
  weightBy: {
    help: "Unit of a group's rewards: an episode, or each of its turns",
    shape: { kind: "choice", of: ["episode", "turn"] },
    default: "episode", // Eq. 2: a mean over G samples
  },
  ratioUnit: {
    help: "Unit of a ratio: message, agent's turn, agent's episode, or joint",
    shape: { kind: "choice", of: ["message", "turn", "trajectory", "joint"] },
    default: "message", // Eq. 3: an action is an utterance
  },
  /** Asynchronous runs drop the group, and end after a step's worth of consecutive failures. */
  onAgentError: {
    help: "Effect of an agent error: ends the run, or drops the episode",
    shape: { kind: "choice", of: ["throw", "end"] },
    default: "throw",
  },
  problemPool: {
    help: "Size of the problem pool, each once per epoch; null takes all",
    shape: "positive",
    nullable: true,
    default: null,
  },
  costWhenTaskAtLeast: { help: "Min grade of episodes that are charged costs", shape: "shareAbove0", optional: true },
} as const;

export const asynchronousTable = {
  /** Max (`maxLag` + 1) `problemsPerStep`. Fleets with more slots than a step has calls need more groups. */
  activeGroups: {
    help: "Groups in flight; null is problems per step plus one",
    shape: "positive",
    nullable: true,
    default: null,
  },
  maxLag: { help: "Max age of a group's weights in steps", shape: "positive", default: 8 },
  /** `dropped.jsonl` lists dropped groups. */
  stale: {
    help: "Handling of older groups: the step waits, or they are dropped",
    shape: { kind: "choice", of: ["wait", "drop"] },
    default: "wait",
  },
  importanceCap: { help: "Cap of the importance ratio that weighs older samples", shape: "above1", default: 2 },
  retries: { help: "Retries of an episode whose model fails", shape: "count", default: 2 },
} as const;

/** MAGRPO's rollout trees. */
export const treeTable = {
  /** Children per node: G, or G to the number of agents. */
  mode: {
    help: "Combination of agents' replies: by number, or all pairs",
    shape: { kind: "choice", of: ["aligned", "cross"] },
  },
  gamma: { help: "Discount between turns", shape: "share" },
  stopAbove: {
    help: "Mean grade above which a node is not expanded; null expands all",
    shape: "number",
    nullable: true,
  },
} as const;

/** Rules that divide the reward among messages; all but `shared` replay episodes. */
export const creditTables = {
  shared: {},
  difference: {},
  message: {},
  shapley: {
    samples: {
      help: "Random orders of agents; null computes all orders",
      shape: "positive",
      nullable: true,
      optional: true,
    },
  },
} as const;

export const opponentsTable = {
  /** Sides alternate by game. The other agents learn. */
  sides: {
    help: "Agents that one opponent plays",
    shape: { kind: "list", of: { kind: "list", of: "name", least: 1 }, least: 1 },
  },
  latest: { help: "Share of games without an opponent", shape: "shareBelow1", default: 0.8 }, // OpenAI Five: 80 %
  matchmaking: {
    help: "Draw of opponents from the pool",
    shape: { kind: "choice", of: ["uniform", "hard", "even"] },
    default: "uniform",
  },
  draw: {
    help: "One opponent per problem, or per episode",
    shape: { kind: "choice", of: ["group", "episode"] },
    default: "group",
  },
  /** The first past self has the initial weights. */
  every: { help: "Steps between past selves", shape: "positive", default: 10 },
  keep: { help: "Max past selves in the pool", shape: "positive", default: 4 },
  /** Oldest, easiest to beat, or the one whose removal keeps the others evenly spread. */
  drop: {
    help: "Past self to remove from a full pool",
    shape: { kind: "choice", of: ["oldest", "beaten", "spread"] },
    default: "oldest",
  },
  runs: {
    help: "Runs in the pool: a run folder, or `FOLDER/POLICY`",
    shape: { kind: "list", of: "name" },
    default: [],
  },
  against: {
    help: "Further opponents of evaluations: `pool`, or runs by name",
    shape: { kind: "list", of: "name" },
    default: [],
  },
  priced: { help: "Costs that include opponents' tokens", shape: { kind: "list", of: "name" }, default: [] },
} as const;

type DefaultsOf<T extends Table> = ValuesOf<{
  readonly [Name in keyof T as T[Name] extends { readonly default: unknown } ? Name : never]: T[Name];
}>;

export function defaultsOf<const T extends Table>(table: T): DefaultsOf<T> {
  const rows = Object.entries(table).filter(([, row]) => "default" in row);
  return Object.fromEntries(rows.map(([name, row]) => [name, row.default])) as DefaultsOf<T>;
}
