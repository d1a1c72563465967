import type { Field, ValuesOf } from "@laconic/core";

/** A setting: what it may be, and its default where it has one. Types, schemas and defaults derive from the tables here. */
interface Row extends Field {
  readonly default?: unknown;
}

/** Settings by name. */
export type Table = Readonly<Record<string, Row>>;

/** How the learning rate moves over the optimiser steps of a run. */
export const learningRateTable = {
  peak: { shape: { kind: "number", above: 0 }, default: 1e-6 }, // GSPO's public script
  /** Steps of linear rise from 0. */
  warmUpSteps: { shape: { kind: "number", integer: true, min: 0 }, default: 10 },
  decay: { shape: { kind: "choice", of: ["constant", "linear", "cosine"] }, default: "constant" },
  /** Fraction of the peak that remains at the end of a decay. */
  finalFraction: { shape: { kind: "number", min: 0, max: 1 }, default: 1 },
} as const;

/** Held-out evaluation before and after training, and in between. */
export const evaluationTable = {
  /** Steps between evaluations; 0 evaluates at both ends only. */
  every: { shape: { kind: "number", integer: true, min: 0 }, default: 20 },
  /** Max held-out problems of an evaluation. */
  problems: { shape: { kind: "number", integer: true, min: 1 }, default: 200 },
  /** Transcripts kept with each: of the first held-out problems, and of the first training episodes of the step. */
  transcripts: { shape: { kind: "number", integer: true, min: 0 }, default: 4 },
  /** Keeps the first weights, by which every evaluation measures the language; a KL term keeps them anyway. */
  language: { shape: { kind: "boolean" }, default: false },
} as const;

/** Samples without a score are left out of rewards and accuracy, and counted; too many end the run. */
export const scoringTable = {
  /** A sample has failed when it waited so long in which no other was judged either. */
  seconds: { shape: { kind: "number", above: 0 }, default: 300 },
  /** Share of a step's or an evaluation's samples without a score above which the run ends, below 1. */
  mostUnscored: { shape: { kind: "number", min: 0, below: 1 }, default: 0.5 },
} as const;

/** Sampling beside training: groups are played all the time, and a step takes the first that are complete. */
export const asynchronousTable = {
  /**
   * Groups' worth of episodes in flight, at most (`maxLag` + 1) `problemsPerStep`; null for `problemsPerStep` + 1,
   * which keeps a fleet busy that answers the calls of one step at once. Give a larger fleet its own number of groups.
   */
  activeGroups: { shape: { kind: "number", integer: true, min: 1 }, nullable: true, default: null },
  /** Max steps that the weights behind a group may be old when it trains. */
  maxLag: { shape: { kind: "number", integer: true, min: 1 }, default: 8 },
  /** A group that would become older holds up the step that must take it, or is dropped and named in `dropped.jsonl`. */
  stale: { shape: { kind: "choice", of: ["wait", "drop"] }, default: "wait" },
  /** An advantage counts by how likelier its reply has become since, at most so much. */
  importanceCap: { shape: { kind: "number", above: 1 }, default: 2 },
  /** Times that an episode whose model fails is played again; then its group is dropped and named. */
  retries: { shape: { kind: "number", integer: true, min: 0 }, default: 2 },
  /**
   * Null waits for every episode of a group. Else a group of which `afterShare` is over trains without those that take
   * `seconds` more: long replies are then left out more often than short ones.
   */
  cutStragglers: {
    shape: {
      kind: "group",
      fields: {
        afterShare: { shape: { kind: "number", above: 0, below: 1 } },
        seconds: { shape: { kind: "number", min: 0 } },
      },
    },
    nullable: true,
    default: null,
  },
} as const;

/** MAGRPO's rollout trees. */
export const treeTable = {
  /** Replies join reply by reply, or each with each: G children of a node, or G to the number of agents. */
  mode: { shape: { kind: "choice", of: ["aligned", "cross"] } },
  /** Discount between turns. */
  gamma: { shape: { kind: "number", min: 0, max: 1 } },
  /** A node whose joint replies have a mean grade above this has no branches; null expands all. */
  stopAbove: { shape: { kind: "number" }, nullable: true },
} as const;

/** How a team's reward becomes that of an utterance, by `kind`, with the options of each. */
export const creditTables = {
  // Every utterance gets the episode's reward.
  shared: {},
  // The reward less that of the same episode with the speaker silent; one more episode for each trained agent.
  difference: {},
  // MARTI's shaping: the utterance's own grade, moved by how the rounds before did.
  margin: { alpha: { shape: { kind: "number", min: 0 } } },
  quality: { alpha: { shape: { kind: "number", min: 0 } } },
} as const;

/** What is learned of supervised examples. */
export const exampleTable = {
  /** Turns of the assistant: all that an example has, or its last. */
  turns: { shape: { kind: "choice", of: ["all", "last"] }, default: "all" },
  /** Of prompt and completion; null is the model's context. */
  maxTokens: { shape: { kind: "number", integer: true, min: 2 }, nullable: true, default: null },
  /** A longer example ends the run before it begins, or its completion is cut. */
  long: { shape: { kind: "choice", of: ["refuse", "truncate"] }, default: "refuse" },
  /** Whose policy learns examples that name neither agent nor policy; all policies when absent. */
  agent: { shape: { kind: "text", notEmpty: true }, optional: true },
} as const;

/** How supervised examples join what is earned; with those of {@link exampleTable}. */
export const besideTable = {
  /** Examples of each optimiser step. */
  batch: { shape: { kind: "number", integer: true, min: 1 }, default: 8 },
  /** Factor of their mean cross-entropy per token in the loss. */
  weight: { shape: { kind: "number", above: 0 }, default: 0.1 },
} as const;

/** When a run is taken to have diverged: both what it earns and how it speaks have broken. */
export const divergenceTable = {
  /** Share of the best mean grade that has to be lost, above 0 and below 1. */
  fall: { shape: { kind: "number", above: 0, below: 1 }, default: 0.5 },
  /** Training steps in a row, over which grades are averaged. */
  steps: { shape: { kind: "number", integer: true, min: 1 }, default: 3 },
} as const;

/** Ends the run after so many evaluations without a better one; its best checkpoint is kept. */
export const earlyStoppingTable = {
  patience: { shape: { kind: "number", integer: true, min: 1 } },
  minGain: { shape: { kind: "number", min: 0 } },
} as const;

/** Frozen opponents that play some agents in training. */
export const opponentsTable = {
  /** Agents that one opponent plays together. Sides take turns game by game; the agents of the others learn. */
  sides: { shape: { kind: "list", of: { kind: "list", of: { kind: "text", notEmpty: true }, least: 1 }, least: 1 } },
  /** Share of games without an opponent: the latest self plays every side, and all learn. */
  latest: { shape: { kind: "number", min: 0, below: 1 }, default: 0.8 }, // OpenAI Five: 80 % against the latest self
  /** `uniform` over the pool; by 1 minus the win rate, squared (`hard`); by win rate times 1 minus it (`even`): AlphaStar's two. */
  matchmaking: { shape: { kind: "choice", of: ["uniform", "hard", "even"] }, default: "uniform" },
  /** One opponent for all episodes of a problem, or one for each. */
  draw: { shape: { kind: "choice", of: ["group", "episode"] }, default: "group" },
  /** Steps between past selves; the first is the weights that the run begins with. */
  every: { shape: { kind: "number", integer: true, min: 1 }, default: 10 }, // ours
  /** Past selves at most: memory holds each. */
  keep: { shape: { kind: "number", integer: true, min: 1 }, default: 4 }, // ours
  /** Who leaves: the oldest; whom learners beat most often; or who leaves the rest spread over all steps so far. */
  drop: { shape: { kind: "choice", of: ["oldest", "beaten", "spread"] }, default: "oldest" },
  /** Other runs in the pool: a run's folder, or with `/POLICY` one policy of it. */
  runs: { shape: { kind: "list", of: { kind: "text", notEmpty: true } }, default: [] },
  /** Whom evaluations are played against beside the team itself: `pool`, or other runs by name. */
  against: { shape: { kind: "list", of: { kind: "text", notEmpty: true } }, default: [] },
  /** Costs that count opponents' words too. */
  priced: { shape: { kind: "list", of: { kind: "text", notEmpty: true } }, default: [] },
} as const;

/** Which checkpoints are written and kept. */
export const checkpointTable = {
  every: { shape: { kind: "number", integer: true, min: 1 }, default: 20 },
  keep: { shape: { kind: "number", integer: true, min: 2 }, default: 2 },
} as const;

/** How much of a long run stays on disk. */
export const retentionTable = {
  /** A file of rows or episodes that is larger, in MiB, at a checkpoint goes on in a new part; rows are packed then. */
  partMiB: { shape: { kind: "number", above: 0 }, default: 64 }, // ours
  /** Parts of episodes that are kept, in MiB, the newest of them; null keeps all. An audit has only what is kept. */
  episodesMiB: { shape: { kind: "number", above: 0 }, nullable: true, default: null },
  /** Packed parts of each other file that are kept, in MiB; null keeps all. */
  rowsMiB: { shape: { kind: "number", above: 0 }, nullable: true, default: null },
} as const;

/** Settings of `train` itself that have one value. */
export const loopTable = {
  steps: { shape: { kind: "number", integer: true, min: 1 }, default: 100 }, // ours
  /** Queries per step. */
  problemsPerStep: { shape: { kind: "number", integer: true, min: 1 }, default: 16 }, // ours
  /** G of Eq. 2. */
  episodesPerProblem: { shape: { kind: "number", integer: true, min: 1 }, default: 8 }, // G is not given
  /** Parts of a batch, one optimiser step each. */
  minibatches: { shape: { kind: "number", integer: true, min: 1 }, default: 2 }, // ours; the GSPO paper uses 4
  /** Passes over a batch. */
  epochs: { shape: { kind: "number", integer: true, min: 1 }, default: 1 }, // Algorithm 1 makes one pass
  /** Steps between refreshes of the old policy (Algorithm 1, line 11). */
  refreshOldPolicyEvery: { shape: { kind: "number", integer: true, min: 1 }, default: 1 }, // "periodically"
  /**
   * Recompute log π_old with the trainer's forward pass, or take the sampler's where both run the same kernels. Either
   * way the gap between the two is measured.
   */
  oldLogProbs: { shape: { kind: "choice", of: ["recompute", "sampler"] }, default: "recompute" },
  groupBy: {
    shape: { kind: "choice", of: ["prompt", "prompt+agent", "prompt+agent+turn", "tree-node"] },
    default: "prompt", // Eq. 2: over the G replies to one query
  },
  ratioUnit: { shape: { kind: "choice", of: ["message", "turn", "trajectory", "joint"] }, default: "message" }, // Eq. 3: an action is an utterance
  /**
   * What an agent's error does: end the run, or its episode, which is then left out of rewards. In an asynchronous run `throw`
   * ends the group at first, and the run when as many groups as a step has fail in a row.
   */
  onAgentError: { shape: { kind: "choice", of: ["throw", "end"] }, default: "throw" },
  /**
   * Problems that all steps draw from, each once an epoch, in an order of the seed; the first that the task makes, or so many
   * of those it has. Null takes all that the task has, or makes new ones in each step where it makes them.
   */
  problemPool: { shape: { kind: "number", integer: true, min: 1 }, nullable: true, default: null },
  /** Charge costs only to episodes whose grade is at least this. */
  costWhenTaskAtLeast: { shape: { kind: "number", above: 0, max: 1 }, optional: true },
} as const;

type DefaultsOf<T extends Table> = ValuesOf<{
  readonly [Name in keyof T as T[Name] extends { readonly default: unknown } ? Name : never]: T[Name];
}>;

/** The defaults of a table. */
export function defaultsOf<const T extends Table>(table: T): DefaultsOf<T> {
  const rows = Object.entries(table).filter(([, row]) => "default" in row);
  return Object.fromEntries(rows.map(([name, row]) => [name, row.default])) as DefaultsOf<T>;
}
