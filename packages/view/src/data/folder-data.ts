import { optionCheck } from "@laconic/core/checks";
import { nodeProcesses } from "@laconic/trainer/reading";
import type {
  BenchTable,
  EpisodeDetail,
  EpisodePage,
  EpisodeQuery,
  MetricTable,
  RunDetail,
  RunSummary,
  SampleDetail,
  SamplePage,
  SampleQuery,
  Speech,
  TellingEpisode,
  ViewEvent,
} from "../protocol.ts";
import { BenchIndex } from "./bench-index.ts";
import { checkFolders, findFolders, realFolder } from "../runs/find-folders.ts";
import { RunReader } from "./run-reader.ts";

/** Data of run folders; null for a missing run, bench, episode or sample. */
export interface ViewData {
  runs(): Promise<readonly RunSummary[]>;
  run(id: string): Promise<RunDetail | null>;
  /** @param names - null for all */
  columns(id: string, names: readonly string[] | null): Promise<MetricTable | null>;
  speech(id: string): Promise<Speech | null>;
  episodes(id: string, query: EpisodeQuery): Promise<EpisodePage | null>;
  /** Most telling first. */
  telling(id: string): Promise<readonly TellingEpisode[] | null>;
  /** Tokens have ids without texts. */
  episode(id: string, key: string): Promise<EpisodeDetail | null>;
  /** Run folder and configuration, for its tokenizer. */
  place(id: string): Promise<{ readonly directory: string; readonly config: unknown } | null>;
  benches(): Promise<readonly BenchTable[]>;
  samples(id: string, query: SampleQuery): Promise<SamplePage | null>;
  sample(id: string, key: string): Promise<SampleDetail | null>;
  /** Polls the files while there are listeners. @returns stops listening */
  listen(listener: (event: ViewEvent) => void): () => void;
  /** Approximate memory of the indexes in bytes. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Options of `folderData`. */
export interface FolderDataOptions {
  /** Shows runs in and below them. */
  readonly folders: readonly string[];
  /** Accepts missing folders and waits for them. */
  readonly mayCome?: boolean;
  readonly every?: Every;
  readonly isAlive?: (pid: number) => boolean;
  /** Max bytes of columns and indexes; least recently requested runs are dropped. */
  readonly maxBytes?: number;
  /** Receives failures outside of calls. */
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

/** About 20 ms of reading. */
const linesAtOnce = 4;

const piecesPerEvent = 25;

/** Reads folders in the caller's thread. */
export interface FolderReader extends ViewData {
  /** Reads all rows and episodes of a run; other methods use the part already read. */
  readAll(id: string): Promise<void>;
}

/** Opens runs in and below local folders. @throws LaconicError `config_invalid` for a missing folder */
export async function folderData(options: FolderDataOptions): Promise<FolderReader> {
  checkOptions(options);
  if (!options.mayCome) await checkFolders(options.folders);
  return new FolderData(options);
}

class FolderData implements FolderReader {
  readonly #options: FolderDataOptions;
  readonly #runs = new Map<string, RunReader>();
  readonly #benches = new Map<string, BenchIndex>();
  readonly #listeners = new Set<(event: ViewEvent) => void>();
  /** Last requested run is last. */
  readonly #used = new Set<RunReader>();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #isReading = false;
  #looks = 0;
  #stopLooking: (() => void) | null = null;

  constructor(options: FolderDataOptions) {
    this.#options = options;
  }

  /** Serialises work, because readers must not overlap. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async runs(): Promise<readonly RunSummary[]> {
    await this.#look(true);
    const summaries = Array.from(this.#runs.values(), ({ summary }) => summary);
    return summaries.filter((summary) => summary !== null).toSorted((a, b) => b.updated - a.updated);
  }

  run(id: string): Promise<RunDetail | null> {
    return this.#ask(id, (run) => run.detail());
  }

  columns(id: string, names: readonly string[] | null): Promise<MetricTable | null> {
    return this.#ask(id, async (run) => (await run.columns()).table(names));
  }

  speech(id: string): Promise<Speech | null> {
    return this.#ask(id, (run) => run.speech());
  }

  episodes(id: string, query: EpisodeQuery): Promise<EpisodePage | null> {
    return this.#ask(id, async (run) => (await run.index()).page(query));
  }

  telling(id: string): Promise<readonly TellingEpisode[] | null> {
    return this.#ask(id, async (run) => (await run.index()).telling());
  }

  episode(id: string, key: string): Promise<EpisodeDetail | null> {
    return this.#ask(id, async (run) => {
      const episode = await (await run.index()).episode(key);
      if (!episode || episode.messageValue.length > 0) return episode;
      return { ...episode, messageValue: await run.messageValue(episode.row.problem, episode.turns) };
    });
  }

  place(id: string): Promise<{ readonly directory: string; readonly config: unknown } | null> {
    return this.#ask(id, async (run) => ({ directory: run.directory, config: run.config }));
  }

  async readAll(id: string): Promise<void> {
    await this.#ask(id, async (run) => {
      await run.index();
      while (run.hasWork) await run.work(linesAtOnce);
    });
  }

  async benches(): Promise<readonly BenchTable[]> {
    await this.#look(true);
    return Array.from(this.#benches.values(), (bench) => bench.table());
  }

  samples(id: string, query: SampleQuery): Promise<SamplePage | null> {
    return this.#askBench(id, async (bench) => bench.page(query));
  }

  sample(id: string, key: string): Promise<SampleDetail | null> {
    return this.#askBench(id, (bench) => bench.sample(key));
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

  async size(): Promise<number> {
    return [...this.#used, ...this.#benches.values()].reduce((sum, { bytes }) => sum + bytes, 0);
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

  #emitRun({ summary }: RunReader): void {
    if (summary) this.#emit({ type: "run", id: summary.id, step: summary.step, state: summary.state });
  }

  /** @param all - includes new folders, benches and finished runs */
  async #look(all: boolean): Promise<void> {
    const hasChanged = all && (await this.#alone(() => this.#find()));
    for (const run of this.#runs.values()) {
      if (run.summary && !all && run.summary.state !== "running") continue;
      await this.#alone(async () => {
        const isNew = run.summary === null;
        if (!this.#isClosed && (await run.refresh()) && !isNew) this.#emitRun(run);
      });
    }
    for (const bench of all ? this.#benches.values() : [])
      if (await this.#alone(async () => !this.#isClosed && bench.readNew())) this.#emit({ type: "runs" });
    if (hasChanged) this.#emit({ type: "runs" });
    this.#readOn();
  }

  /** @returns whether folders appeared or vanished */
  async #find(): Promise<boolean> {
    if (this.#isClosed) return false;
    const { isAlive = nodeProcesses.isAlive, folders } = this.#options;
    const roots = await Promise.all(folders.map((folder) => realFolder(folder)));
    const found = await findFolders(roots.filter((root) => root !== null));
    const names = new Set(found.map(({ kind, id }) => `${kind} ${id}`));
    let hasChanged = false;
    for (const folder of found) {
      const { kind, id, name, place } = folder;
      if (this.#runs.has(id) || this.#benches.has(id)) continue;
      if (kind === "bench") this.#benches.set(id, new BenchIndex(id, name, place));
      else this.#runs.set(id, new RunReader(folder, { host: nodeProcesses.host, isAlive }));
      hasChanged = true;
    }
    for (const [id, run] of this.#runs)
      if (!names.has(`run ${id}`)) {
        hasChanged = this.#runs.delete(id);
        this.#used.delete(run);
      }
    for (const id of this.#benches.keys()) if (!names.has(`bench ${id}`)) hasChanged = this.#benches.delete(id);
    return hasChanged;
  }

  /** Reads the rest of all runs in the background, last requested first. */
  #readOn(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    const read = async (): Promise<void> => {
      for (let pieces = 1; ; pieces++) {
        const run = [...this.#runs.values(), ...this.#used].findLast(({ hasWork }) => hasWork);
        if (!run || this.#isClosed) break;
        await this.#alone(() => run.work(linesAtOnce));
        if (!run.hasWork || pieces % piecesPerEvent === 0) this.#emitRun(run);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await this.#alone(() => this.#makeRoom());
    };
    void read()
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => void (this.#isReading = false));
  }

  async #makeRoom(): Promise<void> {
    const { maxBytes = 128 << 20 } = this.#options;
    let bytes = await this.size();
    for (const run of [...this.#used].slice(0, -1)) {
      if (bytes <= maxBytes) return;
      bytes -= run.bytes;
      this.#used.delete(run);
      run.forget();
    }
  }

  async #ask<T>(id: string, answer: (run: RunReader) => Promise<T>): Promise<T | null> {
    if (this.#runs.size === 0) await this.#look(true);
    const value = await this.#alone(async () => {
      const run = this.#runs.get(id);
      if (!run) return null;
      await run.refresh();
      this.#used.delete(run);
      this.#used.add(run);
      return answer(run);
    });
    this.#readOn();
    return value;
  }

  async #askBench<T>(id: string, answer: (bench: BenchIndex) => Promise<T>): Promise<T | null> {
    if (!this.#benches.has(id)) await this.#look(true);
    return this.#alone(async () => {
      const bench = this.#benches.get(id);
      if (!bench) return null;
      await bench.readNew();
      return answer(bench);
    });
  }
}
