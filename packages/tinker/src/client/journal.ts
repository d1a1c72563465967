import { createHash } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import { boundedJson, LaconicError } from "@laconic/core";
import { openToAppend } from "@laconic/core/platform";
import { z } from "zod";

/** A numbered request of a model, noted before it is sent. */
export interface JournalEntry {
  readonly model: string;
  readonly seq: number;
  readonly path: string;
  /** SHA-256 of the body. */
  readonly hash: string;
}

const entry: z.ZodType<JournalEntry> = z.object({
  model: z.string(),
  seq: z.number().int().positive(),
  path: z.string(),
  hash: z.string(),
});

/** Remembers which body had which number, so that a number is never used for another body, also after a restart. */
export interface Journal {
  /** Resolves once the entry would survive a kill, and in a file a loss of power. */
  note(entry: JournalEntry): Promise<void>;
  /** Entries of a model in the order of their numbers. */
  entriesOf(model: string): Promise<readonly JournalEntry[]>;
}

/** Forgets with the process. */
export function memoryJournal(): Journal {
  const entries: JournalEntry[] = [];
  return {
    note: async (noted) => {
      entries.push(noted);
    },
    entriesOf: async (model) => entries.filter((noted) => noted.model === model),
  };
}

/**
 * A file of JSON lines, each on the disk before its request is sent; a half-written last line is left out.
 * @throws LaconicError `data_invalid` with file and line for anything else that is no entry
 */
export function fileJournal(file: string): Journal {
  const read = async (): Promise<JournalEntry[]> => {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    const complete = text.slice(0, text.lastIndexOf("\n") + 1);
    return complete
      .split("\n")
      .slice(0, -1)
      .map((line, i) => {
        try {
          return entry.parse(boundedJson(line));
        } catch (error) {
          throw new LaconicError("data_invalid", `${file}: line ${i + 1} is no entry`, { file, row: i + 1 }, error);
        }
      });
  };
  let opened: Promise<void> | null = null;
  return {
    async note(noted) {
      await (opened ??= cutTorn(file));
      await appendFile(file, `${JSON.stringify(noted)}\n`, { flush: true });
    },
    entriesOf: async (model) => (await read()).filter((noted) => noted.model === model),
  };
}

/** Makes the file where it is not there, and cuts off a torn last entry. */
async function cutTorn(file: string): Promise<void> {
  await appendFile(file, "");
  const opened = await openToAppend(file, (await readFile(file)).lastIndexOf("\n") + 1);
  await opened.close();
}

/** SHA-256 of a body as it is sent. */
export function bodyHash(body: object): string {
  return createHash("sha256").update(JSON.stringify(body)).digest("hex");
}
