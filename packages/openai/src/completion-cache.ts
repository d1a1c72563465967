import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Completion } from "@laconic/core";
import { z } from "zod";

const schema: z.ZodType<Completion> = z.object({
  text: z.string(),
  finishReason: z.enum(["stop", "length", "refusal"]),
  usage: z.object({
    promptTokens: z.int().min(0),
    completionTokens: z.int().min(0),
    counted: z.enum(["model", "server", "tokenizer", "estimate"]),
  }),
  model: z.object({ id: z.string(), weightVersion: z.int().min(0) }),
});

export interface CacheOptions {
  readonly folder: string;
  /** Bytes of all entries; the oldest used go first. Default 1 GiB. */
  readonly maxBytes?: number;
}

/**
 * Successful completions on disk, one file each, by the hash of everything that decides them. Files appear whole, so
 * several processes may share a folder; a damaged one is a miss.
 */
export class CompletionCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  #written = 0;

  constructor({ folder, maxBytes = 2 ** 30 }: CacheOptions) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  static keyOf(parts: unknown): string {
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  }

  async get(key: string): Promise<Completion | null> {
    const path = this.#path(key);
    try {
      const parsed = schema.safeParse(JSON.parse(await readFile(path, "utf8")));
      if (!parsed.success) return null;
      const now = new Date();
      await utimes(path, now, now);
      return parsed.data;
    } catch {
      return null;
    }
  }

  async put(key: string, completion: Completion): Promise<void> {
    const path = this.#path(key);
    const { text, finishReason, usage, model } = completion;
    const body = JSON.stringify({ text, finishReason, usage, model });
    await mkdir(join(this.#folder, key.slice(0, 2)), { recursive: true });
    const part = `${path}.${randomUUID()}.part`;
    await writeFile(part, body);
    await rename(part, path);
    this.#written += body.length;
    if (this.#written > this.#maxBytes / 16) {
      this.#written = 0;
      await this.#shrink();
    }
  }

  #path(key: string): string {
    return join(this.#folder, key.slice(0, 2), `${key}.json`);
  }

  async #shrink(): Promise<void> {
    const files: { path: string; bytes: number; used: number }[] = [];
    for (const name of await readdir(this.#folder, { recursive: true })) {
      if (!name.endsWith(".json")) continue;
      const path = join(this.#folder, name);
      const facts = await stat(path).catch(() => null); // another process may have removed it
      if (facts) files.push({ path, bytes: facts.size, used: facts.mtimeMs });
    }
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of files.toSorted((a, b) => a.used - b.used)) {
      if (total <= this.#maxBytes) return;
      await rm(path, { force: true });
      total -= bytes;
    }
  }
}
