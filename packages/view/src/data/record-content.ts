import { inflateRawSync } from "node:zlib";
import type { LedgerCall, Problem } from "@laconic/core";

/** Versions of a record's content that are read here. */
export const knownRecordVersion = 1;

/** A record whose content is larger is passed over, and named. */
const mostContentBytes = 256 << 20;

/** What stands before the content in a line of `records.jsonl`. */
export interface RecordHead {
  readonly step: number;
  readonly kind: string;
  readonly version: number;
}

type Terms = Readonly<Record<string, number | null>>;

/** Numbers as little-endian floats in base64. */
export type Packed = { readonly f32: string } | { readonly f64: string };

/** An utterance in a record, or in a transcript, where its tokens stand in `trace`. */
export interface UtteranceContent {
  readonly agent: string;
  readonly turn: number;
  readonly round: number;
  readonly text: string;
  readonly silent: boolean;
  readonly writtenTokens: number;
  readonly deliveredTo: readonly string[];
  readonly tokens?: readonly number[];
  readonly trace?: { readonly tokens: readonly number[]; readonly logProbs: readonly number[] };
}

/** An episode; utterances by number in a record. */
export interface EpisodeContent<Utterance = number> {
  readonly problemId: string;
  readonly answer: string | null;
  readonly ledger: { readonly calls: readonly LedgerCall[] };
  readonly utterances: readonly Utterance[];
  readonly score?: { readonly status: string; readonly value?: number } | null;
}

export interface RolloutContent {
  readonly group: number;
  readonly episode: number;
  readonly terms: Terms;
  readonly reward: number | null;
  readonly without?: Readonly<Record<string, number>>;
}

export interface PolicyContent {
  readonly agents: readonly string[];
  readonly prices: Terms;
  readonly sequences: readonly (readonly [rollout: number, turn: number])[];
  readonly advantages: Packed;
}

/** The content of a step's line, or of an evaluation's. */
export interface RecordContent {
  readonly step: number;
  readonly prices?: Terms;
  readonly problems?: readonly (Problem | null)[];
  readonly rollouts?: readonly RolloutContent[];
  readonly policies?: Readonly<Record<string, PolicyContent>>;
  readonly played?: readonly { readonly problem: Problem; readonly episode: number; readonly task: number | null }[];
  readonly episodes: readonly EpisodeContent[];
  readonly utterances: readonly UtteranceContent[];
  readonly sampledLogProbs: Packed;
}

/** A line of `rollouts.jsonl` or `episodes.jsonl`. */
export interface TranscriptContent {
  readonly step: number;
  readonly problem: Problem;
  readonly episode: EpisodeContent<UtteranceContent>;
  readonly reward?: number | null;
  readonly terms?: Terms;
  readonly score?: { readonly status: string; readonly value?: number } | null;
  readonly task?: number | null;
}

/** @returns null for a line that is no record's */
export function readHead(line: Buffer): RecordHead | null {
  const start = line.toString("utf8", 0, 200);
  const found = /^\{"step":(\d+),"kind":"(\w+)","version":(\d+),"deflate":"/u.exec(start);
  if (found) return { step: Number(found[1]), kind: found[2] as string, version: Number(found[3]) };
  try {
    const row = JSON.parse(line.toString("utf8")) as Partial<RecordHead> | null;
    const { step, kind, version } = row ?? {};
    return typeof step === "number" && typeof kind === "string" && typeof version === "number"
      ? { step, kind, version }
      : null;
  } catch {
    return null;
  }
}

/** @throws Error for a line that holds none, or too much */
export function readContent(line: Buffer): RecordContent {
  const { deflate } = JSON.parse(line.toString("latin1")) as { readonly deflate: string };
  const text = inflateRawSync(Buffer.from(deflate, "base64"), { maxOutputLength: mostContentBytes });
  const content = JSON.parse(text.toString("utf8")) as RecordContent;
  if (!Array.isArray(content.episodes) || !Array.isArray(content.utterances)) throw new Error("it holds no episodes");
  return content;
}

export function unpack(packed: Packed): Float64Array {
  const bytes = Buffer.from("f32" in packed ? packed.f32 : packed.f64, "base64");
  const size = "f32" in packed ? 4 : 8;
  return Float64Array.from({ length: Math.floor(bytes.length / size) }, (_, i) =>
    size === 4 ? bytes.readFloatLE(4 * i) : bytes.readDoubleLE(8 * i),
  );
}
