// Settings of how episodes are played and credited; the other tables, and what a table is, stand in tables.ts.

/** Sampling beside training: groups are played all the time, and a step takes the first that are complete. */
export const asynchronousTable = {
  /**
   * Groups' worth of episodes in flight, at most (`maxLag` + 1) `problemsPerStep`; null for `problemsPerStep` + 1,
   * which keeps a fleet busy that answers the calls of one step at once. Give a larger fleet its own number of groups.
   */
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
  /** A group that would become older holds up the step that must take it, or is dropped and named in `dropped.jsonl`. */
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
  /** Times that an episode whose model fails is played again; then its group is dropped and named. */
  retries: {
    help: "Times that an episode is played again whose model fails",
    shape: { kind: "number", integer: true, min: 0 },
    default: 2,
  },
  /**
   * Null waits for every episode of a group. Else a group of which `afterShare` is over trains without those that take
   * `seconds` more: long replies are then left out more often than short ones.
   */
  cutStragglers: {
    help: "Trains a group without its slowest episodes; null waits for all",
    shape: {
      kind: "group",
      fields: {
        afterShare: { help: "Share of the group that is over", shape: { kind: "number", above: 0, below: 1 } },
        seconds: { help: "Seconds that the others may take besides", shape: { kind: "number", min: 0 } },
      },
    },
    nullable: true,
    default: null,
  },
} as const;

/** MAGRPO's rollout trees. */
export const treeTable = {
  /** Replies join reply by reply, or each with each: G children of a node, or G to the number of agents. */
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

/** How a team's reward becomes that of an utterance, by `kind`, with the options of each. */
export const creditTables = {
  // Every utterance gets the episode's reward.
  shared: {},
  // The reward less that of the same episode with the speaker silent; one more episode for each trained agent.
  difference: {},
  // MARTI's shaping: the utterance's own grade, moved by how the rounds before did.
  margin: { alpha: { help: "How far the rounds before move it", shape: { kind: "number", min: 0 } } },
  quality: { alpha: { help: "How far the rounds before move it", shape: { kind: "number", min: 0 } } },
} as const;

/** Frozen opponents that play some agents in training. */
export const opponentsTable = {
  /** Agents that one opponent plays together. Sides take turns game by game; the agents of the others learn. */
  sides: {
    help: "Agents that one opponent plays together",
    shape: { kind: "list", of: { kind: "list", of: { kind: "text", notEmpty: true }, least: 1 }, least: 1 },
  },
  /** Share of games without an opponent: the latest self plays every side, and all learn. */
  latest: { help: "Share of games without an opponent", shape: { kind: "number", min: 0, below: 1 }, default: 0.8 }, // OpenAI Five: 80 % against the latest self
  /** `uniform` over the pool; by 1 minus the win rate, squared (`hard`); by win rate times 1 minus it (`even`): AlphaStar's two. */
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
  /** Steps between past selves; the first is the weights that the run begins with. */
  every: { help: "Steps between past selves", shape: { kind: "number", integer: true, min: 1 }, default: 10 }, // ours
  /** Past selves at most: memory holds each. */
  keep: { help: "Max past selves that are kept", shape: { kind: "number", integer: true, min: 1 }, default: 4 }, // ours
  /** Who leaves: the oldest; whom learners beat most often; or who leaves the rest spread over all steps so far. */
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
