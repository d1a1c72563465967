import type { LedgerCall, Problem } from "@laconic/core";
import { fromBase64, inflate } from "#platform";
import type { PackedNumbers } from "../run/packed-numbers.ts";
import { recordIn } from "../run/run-source.ts";
import { rowOf } from "./rows.ts";

/** A record whose content is larger is passed over, and named. */
const maxContentBytes = 64 << 20;

/** What stands before the content in a line of `records.jsonl`. */
export interface RecordHead {
  readonly step: number;
  readonly kind: string;
  readonly version: number;
}

type Terms = Readonly<Record<string, number | null>>;

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

/** An episode of a step as it was rewarded. */
export interface RolloutContent {
  readonly group: number;
  readonly episode: number;
  /** Units by name of the cost. */
  readonly costs?: Terms;
  readonly terms: Terms;
  readonly reward: number | null;
  readonly without?: Readonly<Record<string, number>>;
}

/** What a policy was trained on: rollout and turn of each sequence, with its advantage or one for each token. */
export interface PolicyContent {
  readonly agents: readonly string[];
  readonly prices: Terms;
  /** Of each rollout, for a policy with prices of its own. */
  readonly rewards?: readonly (number | null)[];
  readonly sequences: readonly (readonly [rollout: number, turn: number])[];
  readonly advantages: PackedNumbers;
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
  readonly sampledLogProbs: PackedNumbers;
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

const [latin, utf8] = [new TextDecoder("latin1"), new TextDecoder()];

/** Bytes in which the head of a record stands as the trainer writes it. */
const headBytes = 200;

/** @returns null for a line that is no record's */
export function readRecordHead(line: Uint8Array): RecordHead | null {
  const start = latin.decode(line.subarray(0, headBytes));
  const found = /^\{"step":(\d+),"kind":"(\w+)","version":(\d+),"deflate":"/u.exec(start);
  if (found) return { step: Number(found[1]), kind: found[2] as string, version: Number(found[3]) };
  const { step, kind, version } = rowOf(line) ?? {};
  return typeof step === "number" && typeof kind === "string" && typeof version === "number"
    ? { step, kind, version }
    : null;
}

/** @throws Error for a line that holds none, or too much */
export function readRecord(line: Uint8Array): RecordContent {
  // All of a record's line is ASCII.
  const { deflate } = rowOf(latin.decode(line)) ?? {};
  if (typeof deflate !== "string") throw new Error("it holds nothing");
  const content = rowOf(utf8.decode(inflate(fromBase64(deflate), maxContentBytes)));
  const { episodes, utterances } = content ?? {};
  if (!Array.isArray(episodes) || !Array.isArray(utterances)) throw new Error("it holds no episodes");
  return content as unknown as RecordContent;
}

/** Of a line of `rollouts.jsonl` or `episodes.jsonl`. @throws Error for a line that holds none */
export function readTranscript(line: Uint8Array): TranscriptContent {
  const row = rowOf(line);
  const [problem, episode] = [recordIn(row?.["problem"]), recordIn(row?.["episode"])];
  const calls = recordIn(episode?.["ledger"])?.["calls"];
  if (typeof problem?.["id"] !== "string") throw new Error("it holds no problem");
  if (!Array.isArray(episode?.["utterances"]) || !Array.isArray(calls)) throw new Error("it holds no episode");
  return row as unknown as TranscriptContent;
}
