import { open, readFile, truncate, type FileHandle } from "node:fs/promises";
import { LaconicError } from "@laconic/core";
import { parseRecord, sampleKey, type SampleRecord } from "./sample-record.ts";

/** Records on disk, one a line, each there for good once `append` has returned. */
export interface RecordFile {
  /** The last record of every sample. */
  readonly records: ReadonlyMap<string, SampleRecord>;
  append(record: SampleRecord): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads records; a torn last line is left out.
 * @throws LaconicError `data_invalid` for a line in the middle that is no record, with file and row
 */
export async function readRecords(
  path: string,
): Promise<{ readonly records: Map<string, SampleRecord>; readonly bytes: number }> {
  const records = new Map<string, SampleRecord>();
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const whole = text.lastIndexOf("\n") + 1;
  text
    .slice(0, whole)
    .split("\n")
    .forEach((line, i) => {
      if (line === "") return;
      const record = parseRecord(line);
      if (!record)
        throw new LaconicError("data_invalid", `${path}:${i + 1}: the line is no record`, { path, row: i + 1 });
      records.set(sampleKey(record), record);
    });
  return { records, bytes: Buffer.byteLength(text.slice(0, whole)) };
}

/** Opens a file of records to go on with it. */
export async function openRecords(path: string): Promise<RecordFile> {
  const { records, bytes } = await readRecords(path);
  const file: FileHandle = await open(path, "a");
  await truncate(path, bytes);
  let last: Promise<void> = Promise.resolve();
  return {
    records,
    append(record) {
      records.set(sampleKey(record), record);
      // One after the other; a sync covers all that was written before it.
      last = last.then(async () => {
        await file.write(`${JSON.stringify(record)}\n`);
        await file.datasync();
      });
      return last;
    },
    async close() {
      await last.catch(() => undefined);
      await file.close();
    },
  };
}
