import { appendFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { moveFile, openAppender, readJsonLines, syncFolder, writing } from "@laconic/core/platform";
import { z } from "zod";

/** A numbered request of a model, stored before it is sent. */
export interface JournalEntry {
  readonly model: string;
  readonly seq: number;
  readonly path: string;
}

const entry: z.ZodType<JournalEntry> = z.object({
  model: z.string(),
  seq: z.int().min(1),
  path: z.string(),
});

/** Stores request numbers, so that none is reused after a restart. */
export interface Journal {
  /** Resolves once the entry survives a kill; in a file also a power loss. */
  note(entry: JournalEntry): Promise<void>;
  /** Last number of a model, or 0. */
  lastOf(model: string): Promise<number>;
}

/** Journal in memory. */
export function memoryJournal(): Journal {
  const entries = new Map<string, JournalEntry>();
  return {
    note: async (noted) => void entries.set(noted.model, noted),
    lastOf: async (model) => entries.get(model)?.seq ?? 0,
  };
}

/**
 * File of JSON lines, each on disk before its request is sent. A torn last line is ignored. A file above `maxBytes`
 * keeps only each model's last entry.
 * @throws LaconicError `data_invalid` with file and line, `run_unwritable`
 */
export function fileJournal(file: string, maxBytes: number = 64 << 20): Journal {
  let opening: Promise<Known> | null = null;
  const opened = (): Promise<Known> =>
    (opening ??= readJournal(file).catch((error: unknown) => {
      opening = null; // retry after a temporary disk failure
      throw error;
    }));
  let isCut = false;
  const write = async (noted: JournalEntry): Promise<void> => {
    const journal = await opened();
    if (!isCut) await (await openAppender(file, journal.bytes)).close(); // cut off a torn last entry
    isCut = true;
    journal.last.set(noted.model, noted);
    if (journal.bytes >= maxBytes) {
      const text = [...journal.last.values()].map(lineOf).join("");
      await writeFile(`${file}.partial`, text, { flush: true });
      await moveFile(`${file}.partial`, file);
      await syncFolder(dirname(file));
      journal.bytes = Buffer.byteLength(text);
      return;
    }
    await appendFile(file, lineOf(noted), { flush: true });
    journal.bytes += Buffer.byteLength(lineOf(noted));
  };
  let queue: Promise<unknown> = Promise.resolve();
  return {
    note(noted) {
      const written = queue
        .then(() => writing(file, () => write(noted))) // serialized, because models share the file
        .catch((error: unknown) => {
          [opening, isCut] = [null, false]; // cut off a torn line before the next one
          throw error;
        });
      queue = written.catch(() => undefined);
      return written;
    },
    lastOf: async (model) => (await opened()).last.get(model)?.seq ?? 0,
  };
}

interface Known {
  readonly last: Map<string, JournalEntry>;
  bytes: number;
}

const lineOf = (noted: JournalEntry) => `${JSON.stringify(noted)}\n`;

async function readJournal(file: string): Promise<Known> {
  const last = new Map<string, JournalEntry>();
  const bytes = await readJsonLines(file, "a journal of requests", (value) => {
    const { success, data } = entry.safeParse(value);
    if (success) last.set(data.model, data);
    return success;
  });
  return { last, bytes };
}
