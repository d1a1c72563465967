import { joinBytes } from "@laconic/core/files";
import { crc32 } from "./checksums.ts";
import { bytesField, textField, varintField } from "./protobuf.ts";

/** LevelDB's log format, as W&B keeps offline runs in: blocks, and in them chunks of records. */
const blockBytes = 32_768;
const chunkHead = 7;

/** First, middle and last chunk of a record that no block holds whole, and one that a block does. */
const chunkKind = { whole: 1, first: 2, middle: 3, last: 4 } as const;

/** `:W&B`, the magic number 0xBEE1, and the version 0. */
export const wandbHead: Uint8Array = Uint8Array.of(0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0);

/** A record as chunks. @param offset - where in the file it begins: bytes written so far, the head's included */
export function frameWandbRecord(record: Uint8Array, offset: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let at = offset;
  let done = 0;
  let isFirst = true;
  do {
    const left = blockBytes - (at % blockBytes);
    if (left < chunkHead) {
      chunks.push(new Uint8Array(left));
      at += left;
      continue;
    }
    const part = record.subarray(done, done + left - chunkHead);
    done += part.length;
    const isLast = done === record.length;
    const kind = isFirst ? (isLast ? "whole" : "first") : isLast ? "last" : "middle";
    chunks.push(chunkOf(chunkKind[kind], part));
    at += chunkHead + part.length;
    isFirst = false;
  } while (done < record.length || isFirst);
  return joinBytes(chunks);
}

function chunkOf(kind: number, part: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(chunkHead + part.length);
  const view = new DataView(chunk.buffer);
  chunk[6] = kind;
  chunk.set(part, chunkHead);
  view.setUint32(0, crc32(chunk.subarray(6)), true);
  view.setUint16(4, part.length, true);
  return chunk;
}

/** Values by name, as W&B keeps them: JSON. */
type Values = Readonly<Record<string, unknown>>;

/** Field numbers of `wandb_internal.proto`. */
export const wandbRecord = {
  /** @param producer - what writes; the least version that reads it is that of the first records of this kind */
  header: (producer: string): Uint8Array =>
    bytesField(21, bytesField(1, textField(1, producer), textField(2, "0.9.0"))),
  run: (run: {
    readonly id: string;
    readonly project: string;
    readonly entity?: string | undefined;
    readonly name: string;
    readonly host: string;
    readonly startSeconds: number;
    readonly config: Values;
  }): Uint8Array =>
    bytesField(
      17,
      textField(1, run.id),
      ...(run.entity === undefined ? [] : [textField(2, run.entity)]),
      textField(3, run.project),
      bytesField(4, ...items(1, run.config, 1)),
      textField(8, run.name),
      textField(13, run.host),
      bytesField(17, varintField(1, Math.floor(run.startSeconds))),
    ),
  history: (step: number, values: Values): Uint8Array =>
    bytesField(2, ...items(1, values, 2), bytesField(2, varintField(1, step))),
  summary: (values: Values): Uint8Array => bytesField(3, ...items(1, values, 2)),
  /** @param path - below the run's `files` */
  file: (path: string): Uint8Array => bytesField(6, bytesField(1, textField(1, path))),
  exit: (code: number, runtimeSeconds: number): Uint8Array =>
    bytesField(18, varintField(1, code), varintField(2, Math.floor(runtimeSeconds))),
} as const;

/** A record by its number, from 1. */
export function numberedRecord(number: number, content: Uint8Array): Uint8Array {
  return joinBytes([varintField(1, number), content]);
}

/** @param key - 1 for a name as it is, 2 where it may be nested */
function items(field: number, values: Values, key: 1 | 2): Uint8Array[] {
  return Object.entries(values).map(([name, value]) =>
    bytesField(field, textField(key, name), textField(16, JSON.stringify(value))),
  );
}
