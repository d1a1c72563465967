import { optionCheck } from "@laconic/core/checks";
import { nodeProcesses } from "@laconic/trainer/reading";
import type {
  BenchTable,
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
  EpisodeDetail,
} from "../protocol.ts";
import { BenchReader } from "./bench-reader.ts";
import { checkFolders, findFolders, rootOf, type FoundFolder } from "./find-folders.ts";
import { Lane } from "./lane.ts";
import { RunReader } from "./run-reader.ts";
import type { ViewData } from "./view-data.ts";

/** Where runs are, and what reading them takes from outside. */
export interface FolderDataOptions {
  /** Runs in and below them are shown. */
  readonly folders: readonly string[];
  /** Folders that are not there yet are waited for. */
  readonly mayCome?: boolean;
  /** Calls again and again until it is ended. */
  readonly every?: Every;
  /** Whether a process of this machine lives. */
  readonly isAlive?: (pid: number) => boolean;
  /** Of what is read again when it is needed: columns and indexes of runs that nobody has asked for lately go. */
  readonly maxBytes?: number;
  /** Hears failures of what nobody waits for. */
  readonly onError?: (error: unknown) => void;
}

const checkOptions = optionCheck<FolderDataOptions>()("folderData", "folders mayCome every isAlive maxBytes onError");

/** @returns ends it */
export type Every = (milliseconds: number, work: () => void) => () => void;

const intervalEvery: Every = (milliseconds, work) => {
  const timer = setInterval(work, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

const lookMs = 1000;

/** Runs that nobody writes, and folders that are new, are looked for each so many looks. */
const looksBetween = 5;

/** Lines that are read before others get their turn: some 20 ms. */
const linesAtOnce = 4;

/** Lines of an index between two events that say that it has grown. */
const linesPerEvent = 100;

/** What reads folders in this thread. */
export interface FolderReader extends ViewData {
  /** Reads all rows and episodes of a run, which pages wait for no longer than they must. */
  readAll(id: string): Promise<void>;
}

/**
 * Runs in and below folders of this machine.
 * @throws LaconicError `config_invalid` for a folder that is not there
 */
export async function folderData(options: FolderDataOptions): Promise<FolderReader> {
  checkOptions(options);
  await checkFolders(options);
  return new FolderData(options);
}

class FolderData implements FolderReader {
  readonly #options: FolderDataOptions;
  readonly #lane = new Lane();
  readonly #runs = new Map<string, RunReader>();
  readonly #benches = new Map<string, BenchReader>();
  readonly #listeners = new Set<(event: ViewEvent) => void>();
  /** Runs by the time when they were last asked for, the latest last. */
  readonly #used = new Set<RunReader>();
  #isClosed = false;
  #looks = 0;
  #stopLooking: (() => void) | null = null;
  #looking: Promise<unknown> = Promise.resolve();
  #reading: Promise<unknown> = Promise.resolve();

  constructor(options: FolderDataOptions) {
    this.#options = options;
  }

  async runs(): Promise<readonly RunSummary[]> {
    await this.#lookNow(true);
    return Array.from(this.#runs.values(), ({ summary }) => summary).toSorted((a, b) => b.updated - a.updated);
  }

  async run(id: string): Promise<RunDetail | null> {
    const run = await this.#named(id);
    const detail = run && (await run.detail());
    if (run) this.#readMore();
    return detail;
  }

  async columns(id: string, names: readonly string[] | null): Promise<MetricTable | null> {
    const run = await this.#named(id);
    return run && (await run.columns()).table(names);
  }

  async speech(id: string): Promise<Speech | null> {
    const run = await this.#named(id);
    if (!run) return null;
    const index = await run.index();
    this.#readMore();
    const { agents } = await run.detail();
    return index.speech(agents);
  }

  async episodes(id: string, query: EpisodeQuery): Promise<EpisodePage | null> {
    const run = await this.#named(id);
    const page = run && (await run.index()).page(query);
    if (run) this.#readMore();
    return page;
  }

  async readAll(id: string): Promise<void> {
    const run = await this.#named(id);
    if (!run) return;
    await run.index();
    while (await run.work(linesAtOnce));
  }

  async telling(id: string): Promise<readonly TellingEpisode[] | null> {
    const run = await this.#named(id);
    return run && run.telling();
  }

  async episode(id: string, key: string): Promise<EpisodeDetail | null> {
    const run = await this.#named(id);
    const found = run && (await run.episode(key));
    if (!run || !found) return null;
    if (found.messageValue.length > 0) return found;
    return { ...found, messageValue: await run.messageValue(found.row.problem, found.turns) };
  }

  async place(id: string): Promise<{ readonly directory: string; readonly config: unknown } | null> {
    const run = await this.#named(id);
    return run && { directory: run.directory, config: (await run.detail()).config };
  }

  async benches(): Promise<readonly BenchTable[]> {
    await this.#lookNow(true);
    return Array.from(this.#benches.values(), (bench) => bench.table());
  }

  async samples(id: string, query: SampleQuery): Promise<SamplePage | null> {
    const bench = await this.#benchNamed(id);
    return bench && bench.samples(query);
  }

  async sample(id: string, key: string): Promise<SampleDetail | null> {
    const bench = await this.#benchNamed(id);
    return bench && this.#lane.do(() => bench.sample(key));
  }

  /** A bench that is there, as it is now. */
  async #benchNamed(id: string): Promise<BenchReader | null> {
    if (!this.#benches.has(id)) await this.#lookNow(true);
    const bench = this.#benches.get(id);
    if (!bench) return null;
    await this.#lane.do(() => bench.readNew());
    return bench;
  }

  listen(listener: (event: ViewEvent) => void): () => void {
    this.#listeners.add(listener);
    const { every = intervalEvery } = this.#options;
    this.#stopLooking ??= every(lookMs, () => {
      void this.#lookNow(this.#looks++ % looksBetween === 0).catch((error: unknown) => this.#fail(error));
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
    await Promise.all([this.#looking, this.#reading]);
    for (const run of this.#runs.values()) await run.forget();
  }

  #stopLooks(): void {
    this.#stopLooking?.();
    this.#stopLooking = null;
  }

  #fail(error: unknown): void {
    this.#options.onError?.(error);
  }

  #emit(event: ViewEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #emitRun({ summary: { id, step, state } }: RunReader): void {
    this.#emit({ type: "run", id, step, state });
  }

  #lookNow(all: boolean): Promise<void> {
    const done = this.#looking.then(async () => {
      if (!this.#isClosed) await this.#look(all);
    });
    this.#looking = done.catch(() => undefined);
    return done;
  }

  /** @param all - those too that nobody writes */
  async #look(all: boolean): Promise<void> {
    const isOther = all && (await this.#find());
    for (const run of this.#runs.values()) {
      const isKnown = (run.summary as RunSummary | null) !== null;
      if (isKnown && !all && run.summary.state !== "running") continue;
      if ((await run.refresh()) && isKnown) this.#emitRun(run);
      if (run.hasWork) this.#readMore();
    }
    for (const bench of all ? this.#benches.values() : [])
      if (await this.#lane.do(() => bench.readNew())) this.#emit({ type: "runs" });
    if (isOther) this.#emit({ type: "runs" });
  }

  /** @returns whether folders came or went */
  async #find(): Promise<boolean> {
    const roots = await Promise.all(this.#options.folders.map((folder) => rootOf(folder)));
    const folders = await findFolders(roots.filter((root) => root !== null));
    const found = new Map(folders.map((each) => [`${each.kind} ${each.id}`, each]));
    let isOther = false;
    for (const each of found.values()) {
      if (this.#runs.has(each.id) || this.#benches.has(each.id)) continue;
      this.#add(each);
      isOther = true;
    }
    for (const [id, run] of this.#runs)
      if (!found.has(`run ${id}`)) {
        isOther = true;
        this.#runs.delete(id);
        this.#used.delete(run);
        await run.forget();
      }
    for (const id of this.#benches.keys()) if (!found.has(`bench ${id}`)) isOther = this.#benches.delete(id);
    return isOther;
  }

  #add({ kind, id, place, name, folder }: FoundFolder): void {
    const { isAlive = nodeProcesses.isAlive } = this.#options;
    if (kind === "bench") {
      this.#benches.set(id, new BenchReader(id, name, place));
      return;
    }
    const processes = { host: nodeProcesses.host, isAlive };
    const options = { processes, lane: this.#lane };
    this.#runs.set(id, new RunReader(id, place, name, folder, options));
  }

  /** Reads what is left of runs, of those that somebody asked for the latest first, until there is nothing. */
  #readMore(): void {
    const done = this.#reading.then(async () => {
      let lines = 0;
      for (;;) {
        const run = [...this.#runs.values(), ...this.#used].findLast(({ hasWork }) => hasWork);
        if (!run || this.#isClosed) break;
        const hasMore = await run.work(linesAtOnce);
        lines += linesAtOnce;
        if (!hasMore || lines % linesPerEvent === 0) this.#emitRun(run);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await this.#makeRoom();
    });
    this.#reading = done.catch((error: unknown) => this.#fail(error));
  }

  async #makeRoom(): Promise<void> {
    const { maxBytes = 128 << 20 } = this.#options;
    let held = await this.size();
    for (const run of [...this.#used].slice(0, -1)) {
      if (held <= maxBytes) return;
      held -= run.bytes;
      this.#used.delete(run);
      await run.forget();
    }
  }

  /** A run that is there, as it is now. */
  async #named(id: string): Promise<RunReader | null> {
    if (this.#runs.size === 0) await this.#lookNow(true);
    const run = this.#runs.get(id);
    if (!run) return null;
    await run.refresh();
    this.#used.delete(run);
    this.#used.add(run);
    return run;
  }
}
