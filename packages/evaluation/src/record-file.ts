import { LaconicError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { fileLines, openAppender } from "@laconic/core/platform";
import type { z } from "zod";
import { sampleKey, sampleSchema, type SampleRecord } from "./sample-record.ts";

/** Records on disk, one a line, each there for good once `append` has returned. */
export interface RecordFile<Kept = SampleRecord> {
  /** The last record of every sample. */
  readonly records: ReadonlyMap<string, Kept>;
  append(record: Kept): Promise<void>;
  close(): Promise<void>;
}

/** What records of a kind are, and what makes two records the same sample. */
export interface RecordKind<Kept> {
  readonly schema: z.ZodType<Kept>;
  readonly keyOf: (record: Kept) => string;
}

/** A line of a bench of methods on questions. */
export const sampleRecords: RecordKind<SampleRecord> = { schema: sampleSchema, keyOf: sampleKey };

/**
 * Reads records; a torn last line is left out.
 * @throws LaconicError `data_invalid` for a line in the middle that is no record, with file and row
 */
export function readRecords(path: string): Promise<ReadRecords<SampleRecord>> {
  return readRecordsOf(sampleRecords, path);
}

/** Opens a file of records to go on with it. */
export function openRecords(path: string): Promise<RecordFile> {
  return openRecordsOf(sampleRecords, path);
}

/** The last record of every sample, and the bytes of whole lines. */
export interface ReadRecords<Kept> {
  readonly records: Map<string, Kept>;
  readonly bytes: number;
}

/** As {@link readRecords}, of any kind. */
async function readRecordsOf<Kept>({ schema, keyOf }: RecordKind<Kept>, path: string): Promise<ReadRecords<Kept>> {
  const records = new Map<string, Kept>();
  let bytes = 0;
  for await (const { text, row, end } of fileLines(path)) {
    bytes = end;
    if (text === "") continue;
    const record = parsed(schema, text);
    if (!record) throw new LaconicError("data_invalid", `${path}:${row}: the line is no record`, { path, row });
    records.set(keyOf(record), record);
  }
  return { records, bytes };
}

/** As {@link openRecords}, of any kind. */
export async function openRecordsOf<Kept>(kind: RecordKind<Kept>, path: string): Promise<RecordFile<Kept>> {
  const { records, bytes } = await readRecordsOf(kind, path);
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

/** Null for a line that is no record. */
function parsed<Kept>(schema: z.ZodType<Kept>, line: string): Kept | null {
  return schema.safeParse(tryParseJson(line)).data ?? null;
}
