import { fromBase64, type StoredContent, type StoredTranscript } from "@laconic/core/run-folder";
import { inflate } from "#platform";
import { recordIn } from "../run/run-source.ts";
import { rowOf } from "./rows.ts";

/** A record whose content is larger is passed over, and named. */
const maxContentBytes = 64 << 20;

/** What precedes the content in a line of `records.jsonl`. */
export interface RecordHead {
  readonly step: number;
  readonly kind: string;
  readonly version: number;
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

/** The content of a step's line, or of an evaluation's. @throws Error for a line that holds none, or too much */
export function readRecord(line: Uint8Array): StoredContent {
  // All of a record's line is ASCII.
  const { deflate } = rowOf(latin.decode(line)) ?? {};
  if (typeof deflate !== "string") throw new Error("it holds nothing");
  const content = rowOf(utf8.decode(inflate(fromBase64(deflate), maxContentBytes)));
  const { episodes, utterances } = content ?? {};
  if (!Array.isArray(episodes) || !Array.isArray(utterances)) throw new Error("it holds no episodes");
  return content as unknown as StoredContent;
}

/** Of a line of `rollouts.jsonl` or `episodes.jsonl`. @throws Error for a line that holds none */
export function readTranscript(line: Uint8Array): StoredTranscript {
  const row = rowOf(line);
  const [problem, episode] = [recordIn(row?.["problem"]), recordIn(row?.["episode"])];
  const calls = recordIn(episode?.["ledger"])?.["calls"];
  if (typeof problem?.["id"] !== "string") throw new Error("it holds no problem");
  if (!Array.isArray(episode?.["utterances"]) || !Array.isArray(calls)) throw new Error("it holds no episode");
  return row as unknown as StoredTranscript;
}
