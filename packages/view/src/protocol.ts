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

/** `GET /api/runs/{id}/columns?names=a,b`: metrics by name, null where a row has no finite value. */
export interface MetricTable {
  /** Steps from a row to the next: 1, or a power of two for a long run. */
  readonly every: number;
  readonly steps: readonly number[];
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}

/** `GET /api/runs/{id}/speech`: who spoke to whom, by step. Sums are over the episodes of a step. */
export interface Speech {
  readonly agents: readonly AgentId[];
  readonly steps: readonly SpeechStep[];
}

/** One step of it: tokens read along each edge and where its costs went, means per episode. */
export interface SpeechStep extends CostSums {
  readonly step: number;
  readonly episodes: number;
  /** Tokens that an agent wrote, its end tokens included, mean per episode. */
  readonly written: Readonly<Record<AgentId, number>>;
  readonly silence: Readonly<Record<AgentId, number>>;
  /** λ of each cost, as the step charged it. */
  readonly prices: Readonly<Record<string, number>>;
}

/** What `GET /api/runs/{id}/episodes` is asked for, as search parameters. */
export interface EpisodeQuery {
  /** Words that all have to be said or asked in it, in any case. */
  readonly text?: string;
  readonly kind?: EpisodeKind;
  /** Graded right (1) or not. */
  readonly correct?: boolean;
  readonly agent?: AgentId;
  /** This agent, or with no agent anybody, said nothing. */
  readonly silent?: boolean;
  readonly fromStep?: number;
  readonly toStep?: number;
  readonly problem?: string;
  readonly sort?: "newest" | "oldest" | "tokens" | "reward";
  readonly offset?: number;
  readonly limit?: number;
}

/** Played to learn from, or to measure. */
export type EpisodeKind = "training" | "evaluation";

/** `GET /api/runs/{id}/episodes`. */
export interface EpisodePage {
  readonly total: number;
  /** How many the index holds by now; less than there are while it is being made. */
  readonly indexed: number;
  readonly rows: readonly EpisodeSummary[];
}

/** An episode in a list. */
export interface EpisodeSummary {
  /** Names it in `GET /api/runs/{id}/episodes/{key}`. */
  readonly key: string;
  readonly kind: EpisodeKind;
  readonly step: number;
  readonly problem: string;
  /** At most 200 characters, as the answer. */
  readonly question: string;
  readonly answer: string | null;
  readonly grade: number | null;
  readonly reward: number | null;
  readonly tokens: number;
  readonly silent: readonly AgentId[];
  /** Name of the opponent that played some of its agents; null where the team played alone. */
  readonly opponent: string | null;
}

/** Why a conversation says much of a run: tokens saved at an equal grade, a right answer that was lost, agents that kept silent. */
export type TellingReason = "saving" | "failure" | "silence";

/** `GET /api/runs/{id}/telling`: a conversation to open a run with, by the rule of `tellingEpisodes`. The first one opens. */
export interface TellingEpisode {
  readonly why: TellingReason;
  /** In the last evaluation; of a run without one, in its last step. */
  readonly episode: EpisodeSummary;
  /** The same problem in the first evaluation; null where it was not in it. */
  readonly before: EpisodeSummary | null;
  /** The same problem in evaluations from the first to the last, those two included. */
  readonly way: readonly EpisodeSummary[];
}

/** One conversation with everything that is known of it. */
export interface EpisodeDetail {
  readonly row: EpisodeSummary;
  readonly problem: Problem;
  readonly turns: readonly TurnDetail[];
  readonly answer: string | null;
  /** Named, signed terms of the reward; empty for evaluations. */
  readonly terms: Readonly<Record<string, number>>;
  readonly prices: Readonly<Record<string, number>>;
  /** Where the cost in its reward went. */
  readonly cost: CostBreakdown;
  /** The same problem in other evaluations and steps: before and after. */
  readonly others: readonly EpisodeSummary[];
  /** What leaving a turn out changes, where the run has measured it. */
  readonly messageValue: readonly MessageValue[];
}

/** What a message was worth. */
export interface MessageValue {
  readonly turn: number;
  /** Accuracy with the message less accuracy without it. */
  readonly value: number;
  readonly interval: readonly [low: number, high: number] | null;
}

/** What one agent said in one turn. */
export interface TurnDetail {
  readonly agent: AgentId;
  /** Name of the opponent that played the agent; null for the team's own. */
  readonly opponent: string | null;
  readonly turn: number;
  readonly round: number;
  readonly text: string;
  readonly silent: boolean;
  readonly writtenTokens: number;
  readonly deliveredTo: readonly AgentId[];
  /** Turns that it read, of this episode. */
  readonly reads: readonly number[];
  /** What its environment answered; null where it did not. */
  readonly observed: { readonly text: string; readonly tokens: number } | null;
  /** What the step earned from its environment, the team or each agent named; null where nothing. */
  readonly earned: StepReward | null;
  /** What the agent alone was told; null where nothing was. */
  readonly view: string | null;
  /** Present when a local policy wrote it, one entry per token, the end token included. */
  readonly tokens: readonly TokenDetail[] | null;
  /** Of the whole utterance, where it was trained on. */
  readonly advantage: number | null;
}

/** A token that a local policy wrote. */
export interface TokenDetail {
  /** Its number in the vocabulary. */
  readonly id: number;
  /** What it adds to the text; empty for an end token, and `#43` where nothing tells what token 43 says. */
  readonly text: string;
  readonly logProb: number;
  readonly advantage: number | null;
  /** Its part of the cost in the reward: what its writer and its readers pay. */
  readonly price: number;
}

/** `GET /api/benches`: tables of `laconic bench` folders. */
export interface BenchTable {
  readonly id: string;
  readonly name: string;
  readonly rows: readonly BenchRow[];
  /** How many it holds: what `GET /api/benches/{id}/samples` pages through. */
  readonly samples: number;
  readonly methods: readonly string[];
  readonly benchmarks: readonly string[];
}

/** What became of a sample: `failed` without a reply, `undecided` without a verdict. */
export type SampleVerdict = "right" | "wrong" | "failed" | "undecided";

/** What `GET /api/benches/{id}/samples` is asked for, as search parameters. */
export interface SampleQuery {
  /** Words that all have to be in the question or the answer, in any case. */
  readonly text?: string;
  readonly method?: string;
  /** One of this method and `method`, or without that any other, is right where the other is wrong; samples of both. */
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

/** A sample in a list: one question put to one method once. */
export interface SampleRow {
  /** Names it in `GET /api/benches/{id}/samples/{key}`, however often the bench is read. */
  readonly key: string;
  readonly benchmark: string;
  readonly problem: string;
  /** At most 200 characters, as gold and what was extracted; empty where the bench kept no questions. */
  readonly question: string;
  readonly gold: string;
  readonly extracted: string | null;
  readonly method: string;
  readonly repeat: number;
  readonly verdict: SampleVerdict;
  /** How far it is right, 0 to 1: F1 of words; null where the benchmark's rule knows no part. */
  readonly score: number | null;
  /** Prompt and completion. */
  readonly tokens: number;
  readonly calls: number;
  /** Null where no price is known. */
  readonly usd: number | null;
  readonly seconds: number;
}

/** One sample with everything that is known of it. */
export interface SampleDetail {
  readonly row: SampleRow;
  readonly question: string;
  readonly gold: string;
  /** The kind of grading; null where the bench kept no questions, as the tests of what is no program. */
  readonly grading: string | null;
  readonly tests: string | null;
  readonly answer: string | null;
  readonly extracted: string | null;
  readonly rule: string | null;
  readonly steps: readonly GradingStep[];
  /** How it was played, such as `php/maths@1`. */
  readonly protocol: string | null;
  readonly stopReason: string | null;
  readonly attempt: number;
  readonly error: string | null;
  /** In the order in which they were sent. */
  readonly calls: readonly StoredCall[];
  /** Why some, or all, are not here. */
  readonly callsMissing: string | null;
  /** The same question by other methods and in other repeats. */
  readonly others: readonly SampleRow[];
}

/** The data of a page in one file, which has no server. */
export interface RecordedView {
  /** Milliseconds since 1970. */
  readonly made: number;
  /** Where it opens: `#/run/ID`. */
  readonly start: string;
  /** What the folders have and the file does not, a sentence each. */
  readonly leftOut: readonly string[];
  readonly runs: readonly RecordedRun[];
  readonly benches: readonly RecordedBench[];
}

/** A run, its long lists cut to what there is room for. */
export interface RecordedRun {
  readonly detail: RunDetail;
  readonly speech: Speech;
  readonly telling: readonly TellingEpisode[];
  readonly episodes: readonly EpisodeDetail[];
  readonly metrics: MetricTable;
}

/** A bench, with the samples that there is room for. */
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

/** Of `GET /api/events`, a stream of server-sent events: what grew since. */
export type ViewEvent =
  | { readonly type: "runs" }
  | { readonly type: "run"; readonly id: string; readonly step: number; readonly state: RunState };

/** Every failure: `{ error }` with a status of 400, 401, 403, 404, 405 or 500. */
export interface Failure {
  readonly error: { readonly code: string; readonly message: string };
}
