import type { AgentId, Problem, StepReward } from "@laconic/core";
import type { CostBreakdown, CostSums } from "@laconic/core/ledger";
import type { GradingStep, StoredCall } from "@laconic/core/run-folder";
import type { ChangesOfStep, RunEvaluation, RunFacts, WarmStartFacts, RunState } from "@laconic/trainer/reading";

export type { ChangesOfStep, RunEvaluation, WarmStartFacts, RunState };

/** A run in the list. `GET /api/runs` returns all, newest first. */
export interface RunSummary extends Pick<
  RunFacts,
  | "state"
  | "reason"
  | "step"
  | "plannedSteps"
  | "before"
  | "after"
  | "warmStart"
  | "seconds"
  | "device"
  | "seed"
  | "updated"
> {
  /** Names it in addresses; stable while the server runs. */
  readonly id: string;
  readonly name: string;
  /** Relative to the opened folder. */
  readonly folder: string;
  readonly secondsLeft: number | null;
  /** Name or file of its task; null where the configuration has neither. */
  readonly task: string | null;
  readonly model: string | null;
  /** Agents of the team; empty before the first evaluation. */
  readonly agents: readonly AgentId[];
  readonly objective: string | null;
  readonly budgetTokens: number | null;
  readonly warnings: number;
  /** Size of all files. */
  readonly bytes: number;
  /** Leaves of the configuration by dotted key, for filters and differences. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
}

/** `GET /api/runs/{id}`. */
export interface RunDetail extends Pick<
  RunFacts,
  "config" | "environment" | "evaluations" | "test" | "families" | "warnings" | "warnedAt"
> {
  readonly summary: RunSummary;
  readonly agents: readonly AgentId[];
  /** Settings that changed during the training. */
  readonly changes: readonly ChangesOfStep[];
  /** Every metric that is not always zero. */
  readonly metrics: readonly MetricInfo[];
  /** Estimated while the index is being made. */
  readonly episodes: number;
}

/** A column of `metrics.jsonl` or `timing.jsonl`. */
export interface MetricInfo {
  readonly name: string;
  readonly unit: string;
  readonly meaning: string | null;
}

/** `GET /api/runs/{id}/columns?names=a,b`: metrics by name, null for a row without a finite value. */
export interface MetricTable {
  /** Steps between rows: 1, or a power of two for a long run. */
  readonly every: number;
  readonly steps: readonly number[];
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}

/** `GET /api/runs/{id}/speech`: communication by step. */
export interface Speech {
  readonly agents: readonly AgentId[];
  readonly steps: readonly SpeechStep[];
}

/** Tokens read along each edge and their costs in a step, means per episode. */
export interface SpeechStep extends CostSums {
  readonly step: number;
  readonly episodes: number;
  /** With end tokens. */
  readonly written: Readonly<Record<AgentId, number>>;
  readonly silence: Readonly<Record<AgentId, number>>;
  /** λ of each cost. */
  readonly prices: Readonly<Record<string, number>>;
}

/** Search parameters of `GET /api/runs/{id}/episodes`. */
export interface EpisodeQuery {
  /** Words that all occur in the question or a message, in any case. */
  readonly text?: string;
  readonly kind?: EpisodeKind;
  /** Whether the grade is 1. */
  readonly correct?: boolean;
  readonly agent?: AgentId;
  /** Whether the agent, or any agent, has a silent turn. */
  readonly silent?: boolean;
  readonly fromStep?: number;
  readonly toStep?: number;
  readonly problem?: string;
  readonly sort?: "newest" | "oldest" | "tokens" | "reward";
  readonly offset?: number;
  readonly limit?: number;
}

/** Sampled for training, or for an evaluation. */
export type EpisodeKind = "training" | "evaluation";

/** `GET /api/runs/{id}/episodes`. */
export interface EpisodePage {
  readonly total: number;
  /** Episodes in the index, which may be incomplete. */
  readonly indexed: number;
  readonly rows: readonly EpisodeSummary[];
}

/** An episode in a list. */
export interface EpisodeSummary {
  /** Of `GET /api/runs/{id}/episodes/{key}`. */
  readonly key: string;
  readonly kind: EpisodeKind;
  readonly step: number;
  readonly problem: string;
  /** At most 200 characters, like the answer. */
  readonly question: string;
  readonly answer: string | null;
  readonly grade: number | null;
  readonly reward: number | null;
  readonly tokens: number;
  readonly silent: readonly AgentId[];
  /** The opponent that played some of its agents. */
  readonly opponent: string | null;
}

/** Why a conversation is telling: tokens saved at an equal grade, a right answer that was lost, or silent agents. */
export type TellingReason = "saving" | "failure" | "silence";

/** `GET /api/runs/{id}/telling`: a conversation by the rule of `tellingEpisodes`. A page opens with the first. */
export interface TellingEpisode {
  readonly why: TellingReason;
  /** In the last evaluation, or in the last step. */
  readonly episode: EpisodeSummary;
  /** The same problem in the first evaluation. */
  readonly before: EpisodeSummary | null;
  /** The same problem in evaluations from the first to the last. */
  readonly way: readonly EpisodeSummary[];
}

/** `GET /api/runs/{id}/episodes/{key}`. */
export interface EpisodeDetail {
  readonly row: EpisodeSummary;
  readonly problem: Problem;
  readonly turns: readonly TurnDetail[];
  readonly answer: string | null;
  /** Signed terms of the reward; empty for evaluations. */
  readonly terms: Readonly<Record<string, number>>;
  readonly prices: Readonly<Record<string, number>>;
  readonly cost: CostBreakdown;
  /** The same problem in other evaluations and steps. */
  readonly others: readonly EpisodeSummary[];
  readonly messageValue: readonly MessageValue[];
}

/** Measured value of a message. */
export interface MessageValue {
  readonly turn: number;
  /** Accuracy with the message less accuracy without it. */
  readonly value: number;
  readonly interval: readonly [low: number, high: number] | null;
}

/** A turn of an agent. */
export interface TurnDetail {
  readonly agent: AgentId;
  readonly opponent: string | null;
  readonly turn: number;
  readonly round: number;
  readonly text: string;
  readonly silent: boolean;
  readonly writtenTokens: number;
  readonly deliveredTo: readonly AgentId[];
  /** Turns of this episode. */
  readonly reads: readonly number[];
  /** Reply of the environment. */
  readonly observed: { readonly text: string; readonly tokens: number } | null;
  /** Reward of the environment for this step. */
  readonly earned: StepReward | null;
  /** Private information of the agent. */
  readonly view: string | null;
  /** With the end token; null unless a local policy wrote it. */
  readonly tokens: readonly TokenDetail[] | null;
  /** Mean over the tokens; null unless the turn was trained. */
  readonly advantage: number | null;
}

/** A token of a local policy. */
export interface TokenDetail {
  readonly id: number;
  /** Empty for an end token; `#43` for token 43 of an unknown tokenizer. */
  readonly text: string;
  readonly logProb: number;
  readonly advantage: number | null;
  /** Its part of the cost in the reward, for writer and readers. */
  readonly price: number;
}

/** `GET /api/benches`: tables of `laconic bench` folders. */
export interface BenchTable {
  readonly id: string;
  readonly name: string;
  readonly rows: readonly BenchRow[];
  readonly samples: number;
  readonly methods: readonly string[];
  readonly benchmarks: readonly string[];
}

/** `failed` without a reply, `undecided` without a verdict. */
export type SampleVerdict = "right" | "wrong" | "failed" | "undecided";

/** Search parameters of `GET /api/benches/{id}/samples`. */
export interface SampleQuery {
  /** Words that all occur in the question or the answer, in any case. */
  readonly text?: string;
  readonly method?: string;
  /** Samples where this method and `method` (or any other) have different verdicts, right and wrong. */
  readonly against?: string;
  readonly benchmark?: string;
  readonly verdict?: SampleVerdict;
  readonly sort?: "question" | "newest" | "tokens" | "cost" | "time";
  readonly offset?: number;
  readonly limit?: number;
}

/** `GET /api/benches/{id}/samples`. */
export interface SamplePage {
  readonly total: number;
  /** Samples of the bench. */
  readonly indexed: number;
  readonly rows: readonly SampleRow[];
}

/** One reply of a method to a question. */
export interface SampleRow {
  /** Of `GET /api/benches/{id}/samples/{key}`. */
  readonly key: string;
  readonly benchmark: string;
  readonly problem: string;
  /** At most 200 characters, like `gold` and `extracted`; empty if the bench kept no questions. */
  readonly question: string;
  readonly gold: string;
  readonly extracted: string | null;
  readonly method: string;
  readonly repeat: number;
  readonly verdict: SampleVerdict;
  /** F1 of words, for benchmarks with partial scores. */
  readonly score: number | null;
  /** Prompt and completion. */
  readonly tokens: number;
  readonly calls: number;
  readonly usd: number | null;
  readonly seconds: number;
}

/** `GET /api/benches/{id}/samples/{key}`. */
export interface SampleDetail {
  readonly row: SampleRow;
  readonly question: string;
  readonly gold: string;
  /** Kind of grading; null if the bench kept no questions. */
  readonly grading: string | null;
  readonly tests: string | null;
  readonly answer: string | null;
  readonly extracted: string | null;
  readonly rule: string | null;
  readonly steps: readonly GradingStep[];
  /** Such as `php/maths@1`. */
  readonly protocol: string | null;
  readonly stopReason: string | null;
  readonly attempt: number;
  readonly error: string | null;
  readonly calls: readonly StoredCall[];
  /** Why calls are missing. */
  readonly callsMissing: string | null;
  /** The same question by other methods and in other repeats. */
  readonly others: readonly SampleRow[];
}

/** The data of an exported page. */
export interface RecordedView {
  /** Milliseconds since 1970. */
  readonly made: number;
  /** Address within the page: `#/run/ID`. */
  readonly start: string;
  /** What the file lacks, a sentence each. */
  readonly leftOut: readonly string[];
  readonly runs: readonly RecordedRun[];
  readonly benches: readonly RecordedBench[];
}

/** A run, with lists cut to the size of the file. */
export interface RecordedRun {
  readonly detail: RunDetail;
  readonly speech: Speech;
  readonly telling: readonly TellingEpisode[];
  readonly episodes: readonly EpisodeDetail[];
  readonly metrics: MetricTable;
}

/** A bench, with samples cut to the size of the file. */
export interface RecordedBench {
  readonly table: BenchTable;
  readonly samples: readonly SampleDetail[];
}

/** A method on a benchmark. */
export interface BenchRow {
  readonly method: string;
  readonly benchmark: string;
  readonly questions: number;
  readonly seeds: number;
  readonly accuracy: number;
  readonly interval: readonly [low: number, high: number];
  readonly tokens: number;
}

/** Server-sent event of `GET /api/events`. */
export type ViewEvent =
  | { readonly type: "runs" }
  | { readonly type: "run"; readonly id: string; readonly step: number; readonly state: RunState };

/** Every failure: `{ error }` with a status of 400, 401, 403, 404, 405 or 500. */
export interface Failure {
  readonly error: { readonly code: string; readonly message: string };
}
