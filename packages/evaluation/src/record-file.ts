import { LaconicError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { fileLines, openAppender } from "@laconic/core/platform";
import type { z } from "zod";
import { sampleKey, sampleSchema, type SampleRecord } from "./sample-record.ts";

/** Records on disk, one a line, each durable once `append` has returned. */
export interface RecordFile<Kept = SampleRecord> {
  /** The last record of every sample. */
  readonly records: ReadonlyMap<string, Kept>;
  append(record: Kept): Promise<void>;
  close(): Promise<void>;
}

/** A kind of record, and the key of its sample. */
export interface RecordKind<Kept> {
  readonly schema: z.ZodType<Kept>;
  readonly keyOf: (record: Kept) => string;
}

/** A line of a bench of methods on questions. */
export const sampleRecords: RecordKind<SampleRecord> = { schema: sampleSchema, keyOf: sampleKey };

/**
 * The last record of every sample, and the bytes of whole lines; a torn last line is left out.
 * @throws LaconicError `data_invalid` for a line in the middle that is no record, with file and row
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
    if (!record) throw new LaconicError("data_invalid", `${path}:${row}: the line is no record`, { path, row });
    records.set(keyOf(record), record);
  }
  return { records, bytes };
}

/** Opens a file of samples to continue it. */
export function openRecords(path: string): Promise<RecordFile> {
  return openRecordsOf(sampleRecords, path);
}

/** As {@link openRecords}, of any kind. */
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
