import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@laconic/core";
import { fileLines, makeFolder, openAppender, removeFile, type Appender } from "@laconic/core/platform";
import { tryParseJson } from "@laconic/core/json";
import type { BegunCall, MeteredCall } from "./call.ts";

/** Options of a store. */
export interface StoreOptions {
  /** Whether texts of prompts and replies are stored. */
  readonly texts: boolean;
  /** Older days are deleted; 0 keeps all. */
  readonly keepDays: number;
}

/** Appends calls to one file per day: `calls-YYYY-MM-DD.jsonl`, and texts to `texts-YYYY-MM-DD.jsonl`. */
export interface Store {
  begin(call: BegunCall): Promise<void>;
  /** @param texts - by hash */
  add(call: MeteredCall, texts: ReadonlyMap<string, string>): Promise<void>;
  close(): Promise<void>;
}

interface Day {
  readonly calls: Appender;
  readonly texts: Appender | null;
  readonly known: Set<string>;
}

/** @throws LaconicError `run_unwritable` */
export async function openStore(folder: string, { texts, keepDays }: StoreOptions): Promise<Store> {
  await makeFolder(folder);
  let current: Promise<Day> | null = null;
  let name = "";
  const dayOf = (time: string): Promise<Day> => {
    const day = time.slice(0, 10);
    if (current !== null && day <= name) return current;
    const before = current;
    name = day;
    current = before === null ? openDay(day) : before.then(closeDay).then(() => openDay(day));
    return current;
  };
  const openDay = async (day: string): Promise<Day> => {
    if (keepDays > 0) await sweep(folder, new Date(Date.parse(day) - keepDays * 86_400_000).toISOString().slice(0, 10));
    const open = async (path: string): Promise<Appender> => openAppender(path, await wholeLines(path));
    const known = new Set<string>();
    if (texts) for await (const { hash } of readTexts(folder, day)) known.add(hash);
    return {
      calls: await open(join(folder, `calls-${day}.jsonl`)),
      texts: texts ? await open(join(folder, `texts-${day}.jsonl`)) : null,
      known,
    };
  };
  const line = (row: object): string => `${JSON.stringify(row)}\n`;
  /** After a failure, such as a full disk, the next call opens the files again. */
  const writing = async (time: string, write: (day: Day) => Promise<void>): Promise<void> => {
    try {
      await write(await dayOf(time));
    } catch (error) {
      current = null;
      throw error;
    }
  };
  return {
    begin: (call) => writing(call.time, ({ calls }) => calls.append(line(call))),
    add: (call, written) =>
      writing(call.time, async ({ calls, texts: file, known }) => {
        const fresh = file ? [...written].filter(([hash]) => !known.has(hash)) : [];
        for (const [hash] of fresh) known.add(hash);
        if (fresh.length > 0) await file?.append(fresh.map(([hash, text]) => line({ hash, text })).join(""));
        await calls.append(line(call));
      }),
    async close() {
      if (current) await closeDay(await current);
    },
  };
}

async function closeDay({ calls, texts }: Day): Promise<void> {
  await calls.close();
  await texts?.close();
}

/** A kill can leave a part of a line. */
async function wholeLines(path: string): Promise<number> {
  let bytes = 0;
  for await (const { end } of fileLines(path)) bytes = end;
  return bytes;
}

/** Deletes the files of days before `first`. */
async function sweep(folder: string, first: string): Promise<void> {
  for (const { file, day } of await daysIn(folder, "(?:calls|texts)"))
    if (day < first) await removeFile(join(folder, file));
}

async function daysIn(
  folder: string,
  kind: string,
): Promise<readonly { readonly file: string; readonly day: string }[]> {
  const pattern = new RegExp(String.raw`^${kind}-(\d{4}-\d\d-\d\d)\.jsonl$`, "u");
  const files = await readdir(folder);
  return files.toSorted().flatMap((file) => {
    const day = pattern.exec(file)?.[1];
    return day === undefined ? [] : [{ file, day }];
  });
}

/** Reads the calls of a folder, oldest first; unreadable lines are counted as damaged. */
export async function readCalls(
  folder: string,
  since = "",
): Promise<{ readonly calls: readonly MeteredCall[]; readonly lost: number; readonly damaged: number }> {
  const calls: MeteredCall[] = [];
  const begun = new Set<string>();
  let damaged = 0;
  for (const { file, day } of await daysIn(folder, "calls")) {
    if (day < since) continue;
    for await (const { text } of fileLines(join(folder, file))) {
      const row = tryParseJson(text);
      if (isRecord(row) && typeof row["begun"] === "string") begun.add(row["begun"]);
      else if (isRecord(row) && typeof row["id"] === "string") {
        calls.push(row as unknown as MeteredCall);
        begun.delete(row["id"]);
      } else damaged += 1;
    }
  }
  return { calls, lost: begun.size, damaged };
}

/** Texts of a day. */
export async function* readTexts(
  folder: string,
  day: string,
): AsyncGenerator<{ readonly hash: string; readonly text: string }> {
  for await (const { text: row } of fileLines(join(folder, `texts-${day}.jsonl`))) {
    const value = tryParseJson(row);
    if (isRecord(value)) yield { hash: String(value["hash"]), text: String(value["text"]) };
  }
}
