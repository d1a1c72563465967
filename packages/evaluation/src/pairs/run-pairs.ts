import {
  sampleStream,
  type AgentId,
  type EpisodeContext,
  type LanguageModel,
  type Problem,
  type Reward,
  type Topology,
} from "@laconic/core";
import { readReward, timerOf, withDeadline, type Ask } from "@laconic/rewards";
import { z } from "zod";
import type { RecordKind, RecordFile } from "../record-file.ts";
import { episodeCostFields, episodeCosts, noCosts, type EpisodeCosts, type SampleRecord } from "../sample-record.ts";
import { messageOf, SampleTaker, type SampleKind } from "../take-samples.ts";

/** Result of one team on one problem. */
export interface PairRecord
  extends EpisodeCosts, Pick<SampleRecord, "problem" | "method" | "repeat" | "stopReason" | "attempt" | "error"> {
  readonly task: string;
  /** Hash of models, weights and seed. */
  readonly config: string;
  readonly status: "scored" | "undecided" | "invalid" | "error";
  /** Grade, 0 to 1; null without a score. */
  readonly score: number | null;
  /** Reward measures by name. */
  readonly measures: Readonly<Record<string, number>>;
  readonly outputs: Readonly<Record<string, string>>;
}

const text = z.string();
const schema: z.ZodType<PairRecord> = z.object({
  task: text,
  problem: text,
  method: text,
  repeat: z.int().min(0),
  config: text,
  status: z.enum(["scored", "undecided", "invalid", "error"]),
  score: z.number().nullable(),
  measures: z.record(text, z.number()),
  outputs: z.record(text, text),
  stopReason: text.nullable(),
  ...episodeCostFields,
  attempt: z.int().min(1),
  error: text.nullable(),
});

type PairIdentity = Pick<PairRecord, "task" | "problem" | "method" | "repeat" | "config">;

function pairKey({ task, problem, method, repeat, config }: PairIdentity): string {
  return JSON.stringify([task, problem, method, repeat, config]);
}

/** Records of teams on tasks. */
export const pairRecords: RecordKind<PairRecord> = { schema, keyOf: pairKey };

/** Baseline or trained team. */
export interface PairMethod {
  readonly name: string;
  readonly topology: Topology;
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  readonly sampling: EpisodeContext["sampling"];
  /** Hash of models, weights and seed. */
  readonly config: string;
}

/** Problems with their reward and teams. */
export interface PairBoard {
  readonly task: string;
  readonly problems: readonly Problem[];
  readonly reward: Reward;
  readonly methods: readonly PairMethod[];
}

/** Options of a comparison. */
export interface PairOptions {
  readonly repeats: number;
  readonly seed: string;
  /** Max concurrent problems. Default 1, since concurrent calls slow each other. */
  readonly concurrency?: number;
  /** Timeout in seconds of a reward while no other arrives. Default 300. */
  readonly gradeSeconds?: number;
  readonly maxErrors?: number;
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number;
  readonly signal?: AbortSignal;
  readonly onRecord?: (record: PairRecord) => void;
}

interface PairJob {
  readonly board: PairBoard;
  readonly method: PairMethod;
  readonly problem: Problem;
  readonly index: number;
  readonly repeat: number;
}

/**
 * Plays all teams on all problems. Each record is stored before the worker's next sample. Scored samples are skipped;
 * errors are records without a score.
 * @returns reason of an early stop, or null
 */
export async function runPairs(
  boards: readonly PairBoard[],
  file: RecordFile<PairRecord>,
  options: PairOptions,
): Promise<string | null> {
  const { concurrency = 1, gradeSeconds = 300, maxErrors = 20, repeats, signal, onRecord } = options;
  const ask = withDeadline({ seconds: gradeSeconds, timer: timerOf(globalThis) });
  const jobs = boards.flatMap((board) =>
    Array.from({ length: repeats }, (_, repeat) =>
      board.problems.flatMap((problem, index) =>
        board.methods.map((method): PairJob => ({ board, method, problem, index, repeat })),
      ),
    ).flat(),
  );
  const kind: SampleKind<PairJob, PairRecord> = {
    keyOf: (job) => pairKey(identityOf(job)),
    take: (job, attempt, _, stop) => samplePair(job, attempt, { ...options, signal: stop }, ask),
    failed: (job, attempt, error) => ({ ...identityOf(job), ...nothing, attempt, error: messageOf(error) }),
  };
  const taker = new SampleTaker(kind, file, { concurrency, maxErrors, signal }, onRecord);
  await taker.take(jobs.filter((job) => file.records.get(kind.keyOf(job))?.status !== "scored"));
  return taker.stopped;
}

async function samplePair(job: PairJob, attempt: number, options: PairOptions, ask: Ask): Promise<PairRecord> {
  const { board, method, problem, index, repeat } = job;
  const { clock, seed, signal } = options;
  const episode = await method.topology.run(problem, {
    models: method.models,
    sampling: method.sampling,
    random: sampleStream(seed, index, repeat),
    clock,
    ...(signal && { signal }),
  });
  const answered = await ask((deadline) => board.reward(episode, problem, { signal: deadline }));
  const outcome = answered.status === "answered" ? readReward(answered.value) : answered;
  const { measures = {} } = outcome.status === "scored" ? outcome.reward : {};
  return {
    ...identityOf(job),
    status: outcome.status,
    score: outcome.status === "scored" ? outcome.value : null,
    measures: Object.fromEntries(Object.entries(measures).filter(([, value]) => !Number.isNaN(value))),
    outputs: episode.outputs ?? {},
    stopReason: episode.stopReason,
    ...episodeCosts(episode.ledger),
    attempt,
    error: outcome.status === "scored" ? null : outcome.reason.slice(0, 500),
  };
}

const nothing: Omit<PairRecord, keyof PairIdentity | "attempt" | "error"> = {
  status: "error",
  score: null,
  measures: {},
  outputs: {},
  stopReason: null,
  ...noCosts,
};

function identityOf({ board, method, problem, repeat }: PairJob): PairIdentity {
  return { task: board.task, problem: problem.id, method: method.name, repeat, config: method.config };
}
