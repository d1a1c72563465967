import { optionCheck } from "@laconic/core/checks";
import { nodeProcesses } from "@laconic/trainer/reading";
import type { BenchTable, RunSummary, ViewEvent } from "../protocol.ts";
import type { ViewData } from "../requests.ts";
import { checkFolders, findFolders, realFolder } from "../runs/find-folders.ts";
import { BenchIndex } from "./bench-index.ts";
import { RunReader } from "./run-reader.ts";

/** Options of `folderData`. */
export interface FolderDataOptions {
  /** Runs, sweeps and benches in and below them are read. */
  readonly folders: readonly string[];
  /** Waits for missing folders. */
  readonly mayCome?: boolean;
  readonly every?: Every;
  readonly isAlive?: (pid: number) => boolean;
  /** Max bytes of columns and indexes; least recently requested runs are dropped. */
  readonly maxBytes?: number;
  readonly onError?: (error: unknown) => void;
}

const checkOptions = optionCheck<FolderDataOptions>()("folderData", "folders mayCome every isAlive maxBytes onError");

/** @returns stops it */
export type Every = (milliseconds: number, work: () => void) => () => void;

const intervalEvery: Every = (milliseconds, work) => {
  const timer = setInterval(work, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

const lookMs = 1000;

/** Every fifth poll includes finished runs and new folders. */
const looksBetween = 5;

/** Opens runs in and below local folders. @throws LaconicError `config_invalid` for a missing folder */
export async function folderData(options: FolderDataOptions): Promise<ViewData> {
  checkOptions(options);
  if (!options.mayCome) await checkFolders(options.folders);
  const readers = new FolderReaders(options);
  const { runs, benches } = readers;
  return {
    runs: () => readers.listRuns(),
    run: (id) => readers.ask(runs, id, (run) => run.detail()),
    columns: (id, names) => readers.ask(runs, id, async (run) => (await run.columns()).table(names)),
    speech: (id) => readers.ask(runs, id, (run) => run.speech()),
    episodes: (id, query) => readers.ask(runs, id, async (run) => (await run.index()).page(query)),
    telling: (id) => readers.ask(runs, id, async (run) => (await run.index()).telling()),
    episode: (id, key) => readers.ask(runs, id, (run) => run.episode(key)),
    locate: (id) => readers.ask(runs, id, async ({ directory, config }) => ({ directory, config })),
    benches: () => readers.listBenches(),
    samples: (id, query) => readers.ask(benches, id, async (bench) => bench.page(query)),
    sample: (id, key) => readers.ask(benches, id, (bench) => bench.sample(key)),
    listen: (listener) => readers.listen(listener),
    size: async () => readers.bytes,
    close: () => readers.close(),
  };
}

/** Readers of all runs and benches. Only one reads at a time. */
class FolderReaders {
  readonly #options: FolderDataOptions;
  readonly runs = new Map<string, RunReader>();
  readonly benches = new Map<string, BenchIndex>();
  readonly #listeners = new Set<(event: ViewEvent) => void>();
  /** Last request last. */
  readonly #used = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #looks = 0;
  #stopLooking: (() => void) | null = null;

  constructor(options: FolderDataOptions) {
    this.#options = options;
  }

  async listRuns(): Promise<RunSummary[]> {
    await this.#look(true);
    const summaries = Array.from(this.runs.values(), ({ summary }) => summary);
    return summaries.filter((summary) => summary !== null).toSorted((a, b) => b.updated - a.updated);
  }

  async listBenches(): Promise<BenchTable[]> {
    await this.#look(true);
    return Array.from(this.benches.values(), (bench) => bench.table());
  }

  listen(listener: (event: ViewEvent) => void): () => void {
    this.#listeners.add(listener);
    const { every = intervalEvery, onError } = this.#options;
    this.#stopLooking ??= every(lookMs, () => {
      void this.#look(this.#looks++ % looksBetween === 0).catch((error: unknown) => onError?.(error));
    });
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopLooks();
    };
  }

  get bytes(): number {
    return [...this.runs.values(), ...this.benches.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopLooks();
    this.#listeners.clear();
    await this.#alone(async () => undefined);
  }

  #stopLooks(): void {
    this.#stopLooking?.();
    this.#stopLooking = null;
  }

  #emit(event: ViewEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #look(all: boolean): Promise<void> {
    const hasChanged = all && (await this.#alone(() => this.#find()));
    for (const run of this.runs.values()) {
      if (run.summary && !all && run.summary.state !== "running") continue;
      await this.#alone(async () => {
        const isNew = run.summary === null;
        if (this.#isClosed || !(await run.refresh()) || isNew || !run.summary) return;
        const { id, step, state } = run.summary;
        this.#emit({ type: "run", id, step, state });
      });
    }
    for (const bench of all ? this.benches.values() : [])
      if (await this.#alone(async () => !this.#isClosed && bench.refresh())) this.#emit({ type: "runs" });
    if (hasChanged) this.#emit({ type: "runs" });
  }

  async #find(): Promise<boolean> {
    if (this.#isClosed) return false;
    const { isAlive = nodeProcesses.isAlive, folders } = this.#options;
    const roots = await Promise.all(folders.map(realFolder));
    const matches = await findFolders(roots.filter((root) => root !== null));
    let hasChanged = false;
    for (const folder of matches) {
      const { kind, id, name, location } = folder;
      if (this.runs.has(id) || this.benches.has(id)) continue;
      if (kind === "bench") this.benches.set(id, new BenchIndex(id, name, location));
      else this.runs.set(id, new RunReader(folder, { host: nodeProcesses.host, isAlive }));
      hasChanged = true;
    }
    const kinds = new Map(matches.map(({ id, kind }) => [id, kind]));
    for (const id of this.runs.keys()) if (kinds.get(id) !== "run") hasChanged = this.runs.delete(id);
    for (const id of this.benches.keys()) if (kinds.get(id) !== "bench") hasChanged = this.benches.delete(id);
    return hasChanged;
  }

  async ask<R extends RunReader | BenchIndex, T>(
    readers: ReadonlyMap<string, R>,
    id: string,
    answer: (reader: R) => Promise<T>,
  ): Promise<T | null> {
    if (!readers.has(id)) await this.#look(true);
    return this.#alone(async () => {
      const reader = readers.get(id);
      if (!reader) return null;
      await reader.refresh();
      this.#used.delete(id);
      this.#used.add(id);
      const value = await answer(reader);
      this.#makeRoom();
      return value;
    });
  }

  #makeRoom(): void {
    const { maxBytes = 128 << 20 } = this.#options;
    let { bytes } = this;
    for (const id of [...this.#used].slice(0, -1)) {
      if (bytes <= maxBytes) return;
      const run = this.runs.get(id);
      bytes -= run?.bytes ?? 0;
      run?.forget();
    }
  }
}
