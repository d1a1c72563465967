import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { makeFolders, moveFile } from "@laconic/core/platform";
import { join } from "node:path";
import { boundedJson, findShapeMismatch, type Completion } from "@laconic/core";
import { optionCheck } from "@laconic/core/wire";
import { completionShape } from "./completion-shape.ts";

/** Where paid replies are kept, and for how long. */
export interface CacheOptions {
  readonly folder: string;
  /** Bytes of all entries; the oldest used go first. Default 1 GiB. */
  readonly maxBytes?: number;
}

const checkOptions = optionCheck<CacheOptions>()("cache", "folder maxBytes");

/**
 * Successful completions on disk, one file each, by the hash of everything that decides them. Files appear whole, so
 * several processes may share a folder; a damaged one is a miss. Best effort: what cannot be kept is counted and told once, and the
 * completion stands.
 */
export class CompletionCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #onFailure: (error: Error) => void;
  #written = 0;
  #failures = 0;

  /** @param onFailure - hears of the first completion that could not be kept */
  constructor(options: CacheOptions, onFailure: (error: Error) => void = () => undefined) {
    checkOptions(options);
    const { folder, maxBytes = 2 ** 30 } = options;
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#onFailure = onFailure;
  }

  static keyOf(parts: unknown): string {
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  }

  /** Completions that could not be kept: on a full disk, without permission. */
  get failures(): number {
    return this.#failures;
  }

  async get(key: string): Promise<Completion | null> {
    const path = this.#path(key);
    try {
      const kept = boundedJson(await readFile(path, "utf8"));
      if (findShapeMismatch(completionShape, kept)) return null;
      const now = new Date();
      await utimes(path, now, now).catch(() => undefined); // where nothing can be written, hits still are hits
      return kept as Completion;
    } catch {
      return null;
    }
  }

  /** Never rejects. */
  async put(key: string, completion: Completion): Promise<void> {
    const path = this.#path(key);
    const body = JSON.stringify(completion);
    const part = `${path}.${randomUUID()}.part`;
    try {
      await makeFolders(join(this.#folder, key.slice(0, 2)));
      await writeFile(part, body);
      await moveFile(part, path);
      this.#written += body.length;
      if (this.#written > this.#maxBytes / 16) {
        this.#written = 0;
        await this.#shrink();
      }
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      if (++this.#failures === 1) this.#onFailure(error as Error);
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
