import { readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isRecord } from "@laconic/core";
import { boundedJson, tryParseJson } from "@laconic/core/json";
import { makeFolders, moveFile, readBytes } from "@laconic/core/platform";
import { noteLimits, type Notes, type RunNote } from "./protocol.ts";
import { ViewError } from "./requests.ts";

const maxBytes = 65_536;

export class NoteFile {
  readonly #path: string | null;
  #last: Promise<unknown> = Promise.resolve();

  /** @param path - null stores nothing */
  constructor(path: string | null) {
    this.#path = path;
  }

  async all(): Promise<Notes> {
    return { canWrite: this.#path !== null, byRun: Object.fromEntries(await this.#read()) };
  }

  /** An empty note removes it. @throws ViewError 400, 404 without a file */
  async put(id: string, body: Request["body"]): Promise<Notes> {
    const path = this.#path;
    if (path === null || !/^[\w-]{1,64}$/u.test(id))
      throw new ViewError(404, "not_found", "This server stores no notes");
    const invalid = new ViewError(400, "input_invalid", `Expected { note, tags } of at most ${maxBytes} bytes`);
    const bytes = await readBytes(body, { maxBytes }, () => invalid);
    const value = noteIn(tryParseJson(new TextDecoder().decode(bytes)));
    if (value === null) throw invalid;
    const write = this.#last.then(async () => {
      // Another dashboard may have written.
      const notes = await this.#read();
      if (value.note === "" && value.tags.length === 0) notes.delete(id);
      else notes.set(id, value);
      await makeFolders(dirname(path), 0o700);
      await writeFile(`${path}.partial`, `${JSON.stringify(Object.fromEntries(notes), null, 1)}\n`, { mode: 0o600 });
      await moveFile(`${path}.partial`, path);
    });
    this.#last = write.catch(() => undefined);
    await write;
    return this.all();
  }

  /** @throws SyntaxError for a damaged file, which is not replaced */
  async #read(): Promise<Map<string, RunNote>> {
    const text = this.#path === null ? "{}" : await readFile(this.#path, "utf8").catch(missing);
    const rows = Object.entries(boundedJson(text) as object).map(([id, value]) => [id, noteIn(value)] as const);
    return new Map(rows.filter((row): row is readonly [string, RunNote] => row[1] !== null));
  }
}

function missing(error: NodeJS.ErrnoException): string {
  if (error.code !== "ENOENT") throw error;
  return "{}";
}

function noteIn(value: unknown): RunNote | null {
  const { note, tags } = isRecord(value) ? value : {};
  if (typeof note !== "string" || note.length > noteLimits.note) return null;
  if (!Array.isArray(tags) || tags.length > noteLimits.tags) return null;
  const isTag = (tag: unknown): tag is string => typeof tag === "string" && tag !== "" && tag.length <= noteLimits.tag;
  return tags.every(isTag) ? { note, tags: [...new Set(tags)] } : null;
}
