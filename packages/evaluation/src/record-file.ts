import { dataError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { fileLines, openAppender } from "@laconic/core/platform";
import type { z } from "zod";
import { sampleKey, sampleSchema, type SampleRecord } from "./sample-record.ts";

/** File of records, one per line, durable once `append` resolves. */
export interface RecordFile<Kept = SampleRecord> {
  /** Last record of each sample. */
  readonly records: ReadonlyMap<string, Kept>;
  append(record: Kept): Promise<void>;
  close(): Promise<void>;
}

/** Kind of record, with its sample key. */
export interface RecordKind<Kept> {
  readonly schema: z.ZodType<Kept>;
  readonly keyOf: (record: Kept) => string;
}

export const sampleRecords: RecordKind<SampleRecord> = { schema: sampleSchema, keyOf: sampleKey };

/**
 * Last record of each sample, and the size without a torn last line.
 * @throws LaconicError `data_invalid` for another invalid line
 */
export async function readRecords<Kept>(
  { schema, keyOf }: RecordKind<Kept>,
  path: string,
): Promise<{ readonly records: Map<string, Kept>; readonly bytes: number }> {
  const records = new Map<string, Kept>();
  let bytes = 0;
  for await (const { text, row, end } of fileLines(path)) {
    bytes = end;
    if (text === "") continue;
    const { data: record } = schema.safeParse(tryParseJson(text));
    if (!record) throw dataError(`${path}:${row}: the line is not a record`, { path, row });
    records.set(keyOf(record), record);
  }
  return { records, bytes };
}

/** Opens a file of samples to continue it. */
export function openRecords(path: string): Promise<RecordFile> {
  return openRecordsOf(sampleRecords, path);
}

/** {@link openRecords} for any kind. */
export async function openRecordsOf<Kept>(kind: RecordKind<Kept>, path: string): Promise<RecordFile<Kept>> {
  const { records, bytes } = await readRecords(kind, path);
  const file = await openAppender(path, bytes);
  return {
    records,
    append(record) {
      records.set(kind.keyOf(record), record);
      return file.append(`${JSON.stringify(record)}\n`);
    },
    close: () => file.close(),
  };
}
