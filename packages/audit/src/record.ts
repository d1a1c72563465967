import { inflateRawSync } from "node:zlib";
import { boundedJson } from "@laconic/core";

/** A problem as recorded. */
export interface ProblemRow {
  readonly id: string;
  readonly question: string;
  readonly gold: string;
  readonly group?: string;
}

/** Something an agent wrote. */
export interface UtteranceRow {
  readonly agent: string;
  readonly turn: number;
  readonly round: number;
  readonly text: string;
  readonly silent: boolean;
  readonly writtenTokens: number;
  readonly deliveredTo: readonly string[];
  readonly finishReason: string;
  readonly promptTokens?: readonly number[];
  readonly tokens?: readonly number[];
  /** Of its tokens, as the sampler reported them; put in when the row is read. */
  logProbs?: Float64Array;
}

/** What one call cost. */
export interface CallRow {
  readonly turn: number;
  readonly round: number;
  readonly agent: string;
  readonly promptTokens: number;
  readonly writtenTokens: number;
  readonly reads: readonly { readonly from: string; readonly turn: number; readonly tokens: number }[];
}

type Terms = Readonly<Record<string, number>>;

/** What became of an episode's grade. */
export interface ScoreRow {
  readonly status: string;
  readonly value?: number;
  readonly reward?: {
    readonly team: Terms;
    readonly agents?: Readonly<Record<string, Terms>>;
    readonly measures?: Terms;
  };
}

/** An episode; its utterances are in place of their numbers once it is read. */
export interface EpisodeRow {
  readonly problemId: string;
  readonly answer: string | null;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly stopReason: string;
  readonly ledger: { readonly calls: readonly CallRow[] };
  readonly utterances: readonly UtteranceRow[];
  readonly score?: ScoreRow | null;
}

/** An episode of a step as it was rewarded; numbers that JSON cannot hold are null. */
export interface RolloutRow {
  readonly group: number;
  readonly episode: number;
  readonly costs: Readonly<Record<string, number | null>>;
  readonly terms: Readonly<Record<string, number | null>>;
  readonly reward: number | null;
  readonly agentRewards?: Terms;
  readonly credit?: readonly (readonly [turn: number, value: number | null])[];
  readonly utteranceScores?: readonly (number | null)[];
  readonly without?: Readonly<Record<string, number>>;
  readonly greedy?: number;
  readonly greedyReward?: number | null;
}

/** A node of a rollout tree. */
export interface NodeRow {
  readonly actions: readonly {
    readonly replies: readonly number[];
    readonly episode: number;
    readonly round: number;
    readonly next: NodeRow | null;
  }[];
}

/** One problem's tree; replies by `path|agent|reply`. */
export interface TreeRow {
  readonly group: number;
  readonly agents: readonly string[];
  readonly node: NodeRow;
  readonly replies: readonly (readonly [place: string, utterance: number])[];
}

/** One optimiser step. */
export interface UpdateRow {
  readonly rows: readonly number[];
  readonly optimizerStep: number;
  readonly logProbs: Float64Array;
  readonly entropy: { readonly sum: number; readonly count: number };
  readonly loss: number | null;
  readonly gradNorm: number | null;
  readonly learningRate: number;
  readonly applied: boolean;
}

/** What a policy did in a step. */
export interface PolicyRow {
  readonly agents: readonly string[];
  readonly prices: Terms;
  readonly rewards?: readonly (number | null)[];
  readonly sequences: readonly (readonly [rollout: number, turn: number])[];
  readonly advantages: Float64Array;
  /** Null where the sampler's were taken, or are the same. */
  readonly oldLogProbs: Float64Array | null;
  readonly refLogProbs?: Float64Array;
  readonly updates: readonly UpdateRow[];
}

/** A step as the folder has it. */
export interface StepRow {
  readonly step: number;
  readonly scoring: Terms;
  readonly lag: number | readonly number[];
  readonly prices: Terms;
  readonly problems: readonly (ProblemRow | null)[];
  readonly rollouts: readonly RolloutRow[];
  readonly trees?: readonly TreeRow[];
  readonly policies: Readonly<Record<string, PolicyRow>>;
  readonly episodes: readonly EpisodeRow[];
  readonly utterances: readonly UtteranceRow[];
}

/** A held-out evaluation as the folder has it. */
export interface EvaluationRow {
  readonly step: number;
  readonly played: readonly { readonly problem: ProblemRow; readonly episode: number; readonly task: number | null }[];
  readonly episodes: readonly EpisodeRow[];
}

/** A line of `records.jsonl`. */
export interface RecordLine {
  readonly step: number;
  readonly kind: string;
  readonly version: number;
  readonly deflate: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The plain data behind a line. @throws Error for bytes that are none */
export function readContent({ deflate }: Pick<RecordLine, "deflate">): StepRow & EvaluationRow {
  const text = inflateRawSync(Buffer.from(deflate, "base64")).toString("utf8");
  const content = unpacked(boundedJson(text)) as Json;
  const utterances = content["utterances"] as UtteranceRow[];
  const sampled = content["sampledLogProbs"] as Float64Array;
  let at = 0;
  for (const each of utterances) {
    if (!each.tokens) continue;
    each.logProbs = sampled.subarray(at, at + each.tokens.length);
    at += each.tokens.length;
  }
  const episodes = (content["episodes"] as (Json & { readonly utterances: readonly number[] })[]).map((each) => ({
    ...each,
    utterances: each.utterances.map((i) => utterances[i] as UtteranceRow),
  }));
  return { ...content, episodes } as unknown as StepRow & EvaluationRow;
}

/** Packed numbers in place of their bytes, wherever they are. */
function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked);
  if (typeof value !== "object" || value === null) return value;
  const { f32, f64 } = value as { readonly f32?: unknown; readonly f64?: unknown };
  if (typeof f32 === "string") return numbersIn(f32, 4);
  if (typeof f64 === "string") return numbersIn(f64, 8);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unpacked(each)]));
}

function numbersIn(base64: string, size: 4 | 8): Float64Array {
  const bytes = Buffer.from(base64, "base64");
  return Float64Array.from({ length: bytes.length / size }, (_, i) =>
    size === 4 ? bytes.readFloatLE(4 * i) : bytes.readDoubleLE(8 * i),
  );
}
