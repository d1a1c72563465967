import type { AgentId, Problem, StepReward, Utterance } from "@laconic/core";
import type { CostBreakdown, CostSums } from "@laconic/core/ledger";
import type { StoredCall } from "@laconic/core/run-folder";
import type { SampleRecord } from "@laconic/evaluation";
import type { ChangesOfStep, RunEvaluation, RunFacts, WarmStartFacts, RunState } from "@laconic/trainer/reading";

export type { ChangesOfStep, RunEvaluation, WarmStartFacts, RunState };

/** `GET /api/runs` returns all, newest first. */
export interface RunSummary extends Omit<
  RunFacts,
  "config" | "environment" | "train" | "evaluations" | "changes" | "warnings" | "test" | "warnedAt"
> {
  /** Stable while the server runs. */
  readonly id: string;
  readonly name: string;
  /** Relative to the opened folder. */
  readonly folder: string;
  readonly secondsLeft: number | null;
  /** Task name or file; null if not configured. */
  readonly task: string | null;
  readonly model: string | null;
  /** Agents; empty before the first evaluation. */
  readonly agents: readonly AgentId[];
  readonly objective: string | null;
  readonly budgetTokens: number | null;
  readonly warnings: number;
  readonly bytes: number;
  /** Settled API calls; null without a spending journal. */
  readonly usd: number | null;
  /** Leaves by dotted key. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
}

/** `GET /api/runs/{id}`. */
export interface RunDetail extends Pick<
  RunFacts,
  "config" | "environment" | "evaluations" | "test" | "warnings" | "warnedAt"
> {
  readonly summary: RunSummary;
  readonly agents: readonly AgentId[];
  readonly changes: readonly ChangesOfStep[];
  /** Metrics that are not always zero. */
  readonly metrics: readonly MetricInfo[];
  /** Searchable, at most the newest 200,000. */
  readonly episodes: number;
}

/** Column of `metrics.jsonl` or `timing.jsonl`. */
export interface MetricInfo {
  readonly name: string;
  readonly unit: string;
  readonly meaning: string | null;
}

/** `GET /api/runs/{id}/columns?names=a,b`; null for non-finite or missing values. */
export interface MetricTable {
  /** Step distance: 1, or a power of two in long runs. */
  readonly every: number;
  readonly steps: readonly number[];
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}

/** `GET /api/runs/{id}/speech`: communication by step. */
export interface Speech {
  readonly agents: readonly AgentId[];
  readonly steps: readonly SpeechStep[];
}

/** Tokens read and their costs by edge, per episode. */
export interface TeamSpeech extends CostSums {
  /** Includes end tokens. */
  readonly written: Readonly<Record<AgentId, number>>;
  /** Share of silent turns. */
  readonly silence: Readonly<Record<AgentId, number>>;
}

/** Speech of a training step. */
export interface SpeechStep extends TeamSpeech {
  readonly step: number;
  readonly episodes: number;
  /** λ by cost. */
  readonly prices: Readonly<Record<string, number>>;
}

/** Parameters of `GET /api/runs/{id}/episodes`. */
export interface EpisodeQuery {
  /** All required, case-insensitive. */
  readonly text?: string;
  readonly kind?: EpisodeKind;
  /** Grade 1. */
  readonly correct?: boolean;
  readonly agent?: AgentId;
  /** The agent, or any, has a silent turn. */
  readonly silent?: boolean;
  readonly fromStep?: number;
  readonly toStep?: number;
  readonly problem?: string;
  readonly sort?: "newest" | "oldest" | "tokens" | "reward";
  readonly offset?: number;
  readonly limit?: number;
}

/** Sampled for training or an evaluation. */
export type EpisodeKind = "training" | "evaluation";

/** Part of a list. */
export interface ListPage<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** `GET /api/runs/{id}/episodes`. */
export type EpisodePage = ListPage<EpisodeSummary>;

/** Episode in a list. */
export interface EpisodeSummary {
  readonly key: string;
  readonly kind: EpisodeKind;
  readonly step: number;
  readonly problem: string;
  /** Max 200 characters, like the answer. */
  readonly question: string;
  readonly answer: string | null;
  readonly grade: number | null;
  readonly reward: number | null;
  readonly tokens: number;
  readonly silent: readonly AgentId[];
  /** Opponent that played some agents. */
  readonly opponent: string | null;
}

/** Tokens saved at an equal grade, a lost right answer, or silent agents. */
export type TellingReason = "saving" | "failure" | "silence";

/** `GET /api/runs/{id}/telling`; pages open with the first. */
export interface TellingEpisode {
  readonly why: TellingReason;
  readonly episode: EpisodeSummary;
  readonly before: EpisodeSummary | null;
  /** Same problem in evaluations from first to last. */
  readonly way: readonly EpisodeSummary[];
}

/** `GET /api/runs/{id}/episodes/{key}`. */
export interface EpisodeDetail {
  readonly row: EpisodeSummary;
  readonly problem: Problem;
  readonly turns: readonly TurnDetail[];
  readonly answer: string | null;
  /** Signed; empty for evaluations. */
  readonly terms: Readonly<Record<string, number>>;
  readonly prices: Readonly<Record<string, number>>;
  readonly cost: CostBreakdown;
  readonly others: readonly EpisodeSummary[];
  readonly messageValue: readonly MessageValue[];
}

/** Measured value of a message. */
export interface MessageValue {
  readonly turn: number;
  /** Accuracy with minus without the message. */
  readonly value: number;
  readonly interval: readonly [low: number, high: number] | null;
}

/** Turn of an agent. */
export interface TurnDetail extends Pick<
  Utterance,
  "agent" | "turn" | "round" | "text" | "silent" | "writtenTokens" | "deliveredTo"
> {
  readonly opponent: string | null;
  readonly reads: readonly number[];
  readonly observed: { readonly text: string; readonly tokens: number } | null;
  readonly earned: StepReward | null;
  /** Private information. */
  readonly view: string | null;
  /** Includes the end token; null unless written by a local policy. */
  readonly tokens: readonly TokenDetail[] | null;
  /** Mean over tokens; null for untrained turns. */
  readonly advantage: number | null;
}

/** Token of a local policy. */
export interface TokenDetail {
  readonly id: number;
  /** Empty for an end token; `#43` for an unknown tokenizer. */
  readonly text: string;
  readonly logProb: number;
  readonly advantage: number | null;
  /** Reward cost for writer and readers. */
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

/** `failed`: no reply. `undecided`: no verdict. */
export type SampleVerdict = "right" | "wrong" | "failed" | "undecided";

/** Parameters of `GET /api/benches/{id}/samples`. */
export interface SampleQuery {
  /** All required, case-insensitive. */
  readonly text?: string;
  readonly method?: string;
  /** This method and `method` (or any other) disagree. */
  readonly against?: string;
  readonly benchmark?: string;
  readonly verdict?: SampleVerdict;
  readonly sort?: "question" | "newest" | "tokens" | "cost" | "time";
  readonly offset?: number;
  readonly limit?: number;
}

/** `GET /api/benches/{id}/samples`. */
export type SamplePage = ListPage<SampleRow>;

/** Reply of a method to a question. */
export interface SampleRow extends Pick<
  SampleRecord,
  "benchmark" | "problem" | "gold" | "extracted" | "method" | "repeat" | "score" | "calls" | "usd" | "seconds"
> {
  readonly key: string;
  /** Max 200 characters, like `gold` and `extracted`; may be empty. */
  readonly question: string;
  readonly verdict: SampleVerdict;
  /** Prompt and completion. */
  readonly tokens: number;
}

/** `GET /api/benches/{id}/samples/{key}`. */
export interface SampleDetail extends Pick<
  SampleRecord,
  "gold" | "answer" | "extracted" | "rule" | "steps" | "protocol" | "stopReason" | "attempt" | "error"
> {
  readonly row: SampleRow;
  readonly question: string;
  /** Grading kind; null if the bench stores no questions. */
  readonly grading: string | null;
  readonly tests: string | null;
  readonly calls: readonly StoredCall[];
  readonly callsMissing: string | null;
  readonly others: readonly SampleRow[];
}

/** Data of an exported page. */
export interface RecordedView {
  /** Milliseconds since 1970. */
  readonly made: number;
  /** Address in the page: `#/run/ID`. */
  readonly start: string;
  readonly leftOut: readonly string[];
  readonly runs: readonly RecordedRun[];
  readonly benches: readonly RecordedBench[];
}

/** Lists are cut to the file size. */
export interface RecordedRun {
  readonly detail: RunDetail;
  readonly speech: Speech;
  readonly telling: readonly TellingEpisode[];
  readonly episodes: readonly EpisodeDetail[];
  readonly metrics: MetricTable;
}

/** Samples are cut to the file size. */
export interface RecordedBench {
  readonly table: BenchTable;
  readonly samples: readonly SampleDetail[];
}

/** Figures of a method on a benchmark. */
export interface BenchRow {
  readonly method: string;
  readonly benchmark: string;
  readonly questions: number;
  readonly seeds: number;
  readonly accuracy: number;
  readonly interval: readonly [low: number, high: number];
  readonly tokens: number;
  /** Mean per sample; null unless all prices are known. */
  readonly usd: number | null;
}

/** Server-sent event of `GET /api/events`. */
export type ViewEvent =
  | { readonly type: "runs" }
  | { readonly type: "run"; readonly id: string; readonly step: number; readonly state: RunState };

/** Failure body `{ error }`, with status 400, 401, 403, 404, 405 or 500. */
export interface Failure {
  readonly error: { readonly code: string; readonly message: string };
}
