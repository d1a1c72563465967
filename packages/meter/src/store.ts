import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@laconic/core";
import { fileLines, makeFolder } from "@laconic/core/platform";
import { tryParseJson } from "@laconic/core/json";
import type { BegunCall, MeteredCall } from "./call.ts";

/** Options of a store. */
export interface StoreOptions {
  /** Whether texts of prompts and replies are stored. */
  readonly texts: boolean;
  /** Older days are deleted; 0 keeps all. */
  readonly keepDays: number;
}

/**
 * Appends calls to one file per day, `calls-YYYY-MM-DD.jsonl`, and texts to `texts-YYYY-MM-DD.jsonl`. A row has reached
 * the system when a method returns, so that a kill loses none.
 */
export interface Store {
  /** @throws Error of the file system; the next call opens the files again */
  begin(call: BegunCall): void;
  /** @param texts - by hash @throws Error of the file system */
  add(call: MeteredCall, texts: ReadonlyMap<string, string>): void;
  close(): void;
}

/** Texts beyond this number may be written again, so that memory stays bounded. */
const mostKnown = 20_000;

/** @throws LaconicError `run_unwritable` */
export async function openStore(folder: string, { texts, keepDays }: StoreOptions): Promise<Store> {
  await makeFolder(folder);
  let day = "";
  let files: { readonly calls: number; readonly texts: number | null } | null = null;
  const known = new Set<string>();
  const close = (): void => {
    for (const file of [files?.calls, files?.texts]) if (typeof file === "number") closeSync(file);
    files = null;
  };
  const filesOf = (time: string): NonNullable<typeof files> => {
    const today = time.slice(0, 10);
    if (files !== null && today <= day) return files;
    close();
    known.clear();
    if (keepDays > 0) deleteBefore(folder, new Date(Date.parse(today) - keepDays * 86_400_000).toISOString());
    day = today;
    const calls = openLines(join(folder, `calls-${day}.jsonl`));
    files = { calls, texts: texts ? openLines(join(folder, `texts-${day}.jsonl`)) : null };
    return files;
  };
  const append = (time: string, rowsOf: (opened: NonNullable<typeof files>) => readonly [number, object][]): void => {
    try {
      for (const [file, row] of rowsOf(filesOf(time))) writeSync(file, `${JSON.stringify(row)}\n`);
    } catch (error) {
      close();
      throw error;
    }
  };
  return {
    begin: (call) => append(call.time, ({ calls }) => [[calls, call]]),
    add: (call, written) =>
      append(call.time, ({ calls, texts: file }) => {
        const fresh = file === null ? [] : [...written].filter(([hash]) => !known.has(hash));
        if (known.size > mostKnown) known.clear();
        for (const [hash] of fresh) known.add(hash);
        return [...fresh.map(([hash, text]): [number, object] => [file ?? 0, { hash, text }]), [calls, call]];
      }),
    close,
  };
}

/** Opens a file to append. After a kill, a torn last line stays a separate, damaged line. */
function openLines(path: string): number {
  const file = openSync(path, "a+");
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  if (size > 0) readSync(file, last, 0, 1, size - 1);
  if (size > 0 && last.toString() !== "\n") writeSync(file, "\n");
  return file;
}

function deleteBefore(folder: string, time: string): void {
  for (const { file, day } of daysIn(folder, "(?:calls|texts)"))
    if (day < time.slice(0, 10)) rmSync(join(folder, file), { force: true });
}

function daysIn(folder: string, kind: string): readonly { readonly file: string; readonly day: string }[] {
  const pattern = new RegExp(String.raw`^${kind}-(\d{4}-\d\d-\d\d)\.jsonl$`, "u");
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => {
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
  for (const { file, day } of daysIn(folder, "calls")) {
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

/** Days of a folder with texts. */
export function daysWithTexts(folder: string, since: string): readonly string[] {
  return daysIn(folder, "texts").flatMap(({ day }) => (day < since ? [] : [day]));
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
