import type { AgentId, Problem, StepReward } from "@laconic/core";
import type { CostBreakdown, CostSums } from "@laconic/core/ledger";
import type { GradingStep, StoredCall } from "@laconic/core/run-folder";
import type { ChangesOfStep, RunEvaluation, RunFacts, WarmStartFacts, RunState } from "@laconic/trainer/reading";

export type { ChangesOfStep, RunEvaluation, WarmStartFacts, RunState };

/** `GET /api/runs` returns all, newest first. */
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
  /** Address id; stable while the server runs. */
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
  /** Total file size. */
  readonly bytes: number;
  /** US dollars of settled API calls; null without a spending journal. */
  readonly usd: number | null;
  /** Configuration leaves by dotted key, for filters and differences. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
}

/** `GET /api/runs/{id}`. */
export interface RunDetail extends Pick<
  RunFacts,
  "config" | "environment" | "evaluations" | "test" | "families" | "warnings" | "warnedAt"
> {
  readonly summary: RunSummary;
  readonly agents: readonly AgentId[];
  readonly changes: readonly ChangesOfStep[];
  /** Metrics that are not always zero. */
  readonly metrics: readonly MetricInfo[];
  /** Searchable episodes, at most the newest 200,000. */
  readonly episodes: number;
}

/** The user's note on a run. Body of `PUT /api/notes/{id}`. */
export interface RunNote {
  readonly note: string;
  readonly tags: readonly string[];
}

/** `GET /api/notes`. */
export interface Notes {
  /** Whether the server stores notes. */
  readonly canWrite: boolean;
  readonly byRun: Readonly<Record<string, RunNote>>;
}

/** Column of `metrics.jsonl` or `timing.jsonl`. */
export interface MetricInfo {
  readonly name: string;
  readonly unit: string;
  readonly meaning: string | null;
}

/** `GET /api/runs/{id}/columns?names=a,b`: metrics by name; null for non-finite or missing values. */
export interface MetricTable {
  /** Step distance of rows: 1, or a power of two in long runs. */
  readonly every: number;
  readonly steps: readonly number[];
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}

/** `GET /api/runs/{id}/speech`: communication by step. */
export interface Speech {
  readonly agents: readonly AgentId[];
  readonly steps: readonly SpeechStep[];
}

/** Tokens read and their costs by edge, means per episode. */
export interface TeamSpeech extends CostSums {
  /** Tokens by agent, including end tokens. */
  readonly written: Readonly<Record<AgentId, number>>;
  /** Share of silent turns by agent. */
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
  /** All required in the question or messages, case-insensitive. */
  readonly text?: string;
  readonly kind?: EpisodeKind;
  /** Grade 1. */
  readonly correct?: boolean;
  readonly agent?: AgentId;
  /** Whether the agent (or any agent) has a silent turn. */
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
  /** Rows of the whole list. */
  readonly total: number;
  readonly rows: readonly Row[];
}

/** `GET /api/runs/{id}/episodes`. */
export type EpisodePage = ListPage<EpisodeSummary>;

/** Episode in a list. */
export interface EpisodeSummary {
  /** Key in `GET /api/runs/{id}/episodes/{key}`. */
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

/** Reason: tokens saved at an equal grade, a lost right answer, or silent agents. */
export type TellingReason = "saving" | "failure" | "silence";

/** `GET /api/runs/{id}/telling`: a conversation selected by `tellingEpisodes`. Pages open with the first. */
export interface TellingEpisode {
  readonly why: TellingReason;
  readonly episode: EpisodeSummary;
  /** Same problem in the first evaluation. */
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
  /** Signed reward terms; empty for evaluations. */
  readonly terms: Readonly<Record<string, number>>;
  readonly prices: Readonly<Record<string, number>>;
  readonly cost: CostBreakdown;
  /** Same problem in other evaluations and steps. */
  readonly others: readonly EpisodeSummary[];
  readonly messageValue: readonly MessageValue[];
}

/** Measured value of a message. */
export interface MessageValue {
  readonly turn: number;
  /** Accuracy with the message minus accuracy without. */
  readonly value: number;
  readonly interval: readonly [low: number, high: number] | null;
}

/** Turn of an agent. */
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
  readonly observed: { readonly text: string; readonly tokens: number } | null;
  /** Environment reward of this step. */
  readonly earned: StepReward | null;
  /** Private information of the agent. */
  readonly view: string | null;
  /** Includes the end token; null unless written by a local policy. */
  readonly tokens: readonly TokenDetail[] | null;
  /** Mean over tokens; null for untrained turns. */
  readonly advantage: number | null;
}

/** Token of a local policy. */
export interface TokenDetail {
  readonly id: number;
  /** Empty for an end token; `#43` for token 43 of an unknown tokenizer. */
  readonly text: string;
  readonly logProb: number;
  readonly advantage: number | null;
  /** Its cost in the reward, for writer and readers. */
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
  /** All required in the question or answer, case-insensitive. */
  readonly text?: string;
  readonly method?: string;
  /** Samples where this method and `method` (or any other) disagree. */
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
export interface SampleRow {
  /** Key in `GET /api/benches/{id}/samples/{key}`. */
  readonly key: string;
  readonly benchmark: string;
  readonly problem: string;
  /** Max 200 characters, like `gold` and `extracted`; empty if the bench stores no questions. */
  readonly question: string;
  readonly gold: string;
  readonly extracted: string | null;
  readonly method: string;
  readonly repeat: number;
  readonly verdict: SampleVerdict;
  /** Word F1, for benchmarks with partial scores. */
  readonly score: number | null;
  /** Prompt and completion tokens. */
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
  /** Grading kind; null if the bench stores no questions. */
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
  /** Reason for missing calls. */
  readonly callsMissing: string | null;
  /** Same question with other methods and repeats. */
  readonly others: readonly SampleRow[];
}

/** Data of an exported page. */
export interface RecordedView {
  /** Milliseconds since 1970. */
  readonly made: number;
  /** Address in the page: `#/run/ID`. */
  readonly start: string;
  /** Missing data, one sentence each. */
  readonly leftOut: readonly string[];
  readonly runs: readonly RecordedRun[];
  readonly benches: readonly RecordedBench[];
}

/** Run with lists cut to the file size. */
export interface RecordedRun {
  readonly detail: RunDetail;
  readonly speech: Speech;
  readonly telling: readonly TellingEpisode[];
  readonly episodes: readonly EpisodeDetail[];
  readonly metrics: MetricTable;
}

/** Bench with samples cut to the file size. */
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
  /** Mean US dollars per sample; null unless all prices are known. */
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
