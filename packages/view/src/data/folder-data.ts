import { realpath, stat } from "node:fs/promises";
import { LaconicError } from "@laconic/core";
import { nodeProcesses } from "@laconic/trainer/reading";
import type { RunSummary, ViewEvent } from "../protocol.ts";
import { BenchReader } from "./bench-tables.ts";
import { columnBody } from "./column-body.ts";
import { findFolders, type FoundFolder } from "./find-folders.ts";
import { Lane, type ReadingMark } from "./reading-mark.ts";
import { RunReader } from "./run-reader.ts";
import type { TextLimits } from "./text-store.ts";
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
  readonly texts?: Partial<TextLimits>;
  /** Hears failures of what nobody waits for. */
  readonly onError?: (error: unknown) => void;
  /** Holds the name of the file that is being read. */
  readonly mark?: ReadingMark;
  /** Why nothing is read of some runs and benches, by id. */
  readonly setAside?: Readonly<Record<string, string>>;
}

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

/**
 * Runs in and below folders of this machine.
 * @throws LaconicError `config_invalid` for a folder that is not there
 */
export async function folderData(options: FolderDataOptions): Promise<ViewData> {
  const {
    every = intervalEvery,
    isAlive = nodeProcesses.isAlive,
    maxBytes = 128 << 20,
    texts,
    onError = () => undefined,
    mark = null,
    setAside = {},
  } = options;
  await checkFolders(options);
  const processes = { host: nodeProcesses.host, isAlive };
  const lane = new Lane(mark);
  const runs = new Map<string, RunReader>();
  const benches = new Map<string, BenchReader>();
  const listeners = new Set<(event: ViewEvent) => void>();
  /** Runs by the time when they were last asked for, the latest last. */
  const used = new Set<RunReader>();
  let isClosed: boolean = false;
  let looks: number = 0;
  let stopLooking: (() => void) | null = null;
  let looking: Promise<unknown> = Promise.resolve();
  let pumping: Promise<unknown> = Promise.resolve();

  const tell = (event: ViewEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const tellRun = ({ summary: { id, step, state } }: RunReader): void => tell({ type: "run", id, step, state });

  const make = ({ kind, id, place, name, folder }: FoundFolder): void => {
    if (mark) place.onRead = (file) => mark.set({ id, file });
    const given = { processes, lane, setAside: setAside[id] ?? null, ...(texts && { texts }) };
    if (kind === "bench") benches.set(id, new BenchReader(id, name, place));
    else runs.set(id, new RunReader(id, place, name, folder, given));
  };

  /** @returns whether folders came or went */
  const find = async (): Promise<boolean> => {
    const roots = await Promise.all(options.folders.map((folder) => rootOf(folder)));
    const folders = await findFolders(roots.filter((root) => root !== null));
    const found = new Map(folders.map((each) => [`${each.kind} ${each.id}`, each]));
    let isOther = false;
    for (const each of found.values()) {
      if (runs.has(each.id) || benches.has(each.id)) continue;
      make(each);
      isOther = true;
    }
    for (const [id, run] of runs)
      if (!found.has(`run ${id}`)) {
        isOther = true;
        runs.delete(id);
        used.delete(run);
        await run.forget();
      }
    for (const id of benches.keys()) if (!found.has(`bench ${id}`)) isOther = benches.delete(id);
    return isOther;
  };

  /** @param all - those too that nobody writes */
  const look = async (all: boolean): Promise<void> => {
    const isOther = all && (await find());
    for (const run of runs.values()) {
      const isKnown = (run.summary as RunSummary | null) !== null;
      if (isKnown && !all && run.summary.state !== "running") continue;
      if ((await run.refresh()) && isKnown) tellRun(run);
      if (run.hasWork) pump();
    }
    for (const bench of all ? benches.values() : [])
      if (setAside[bench.id] === undefined && (await lane.do(() => bench.readNew()))) tell({ type: "runs" });
    if (isOther) tell({ type: "runs" });
  };
  const lookNow = (all: boolean): Promise<void> => {
    const done = looking.then(async () => {
      if (!isClosed) await look(all);
    });
    looking = done.catch(() => undefined);
    return done;
  };

  /** Reads lines of runs that somebody asked for, the latest first, until there are none. */
  const pump = (): void => {
    const done = pumping.then(async () => {
      let lines = 0;
      for (;;) {
        const run = [...used].findLast(({ hasWork }) => hasWork);
        if (!run || isClosed) break;
        const hasMore = await run.work(linesAtOnce);
        lines += linesAtOnce;
        if (!hasMore || lines % linesPerEvent === 0) tellRun(run);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await makeRoom();
    });
    pumping = done.catch(onError);
  };

  const makeRoom = async (): Promise<void> => {
    let held = [...used].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const run of [...used].slice(0, -1)) {
      if (held <= maxBytes) return;
      held -= run.bytes;
      used.delete(run);
      await run.forget();
    }
  };

  /** A run that is there, as it is now. */
  const named = async (id: string): Promise<RunReader | null> => {
    if (runs.size === 0) await lookNow(true);
    const run = runs.get(id);
    if (!run) return null;
    await run.refresh();
    used.delete(run);
    used.add(run);
    return run;
  };

  return {
    async runs() {
      await lookNow(true);
      return Array.from(runs.values(), ({ summary }) => summary).toSorted((a, b) => b.updated - a.updated);
    },
    async run(id) {
      const run = await named(id);
      const detail = run && (await run.detail());
      if (run?.hasWork) pump();
      return detail;
    },
    async columns(id, names, from) {
      const run = await named(id);
      return run && columnBody(await run.columns(), names, from);
    },
    async speech(id) {
      const run = await named(id);
      if (!run) return null;
      const index = await run.index();
      if (run.hasWork) pump();
      const { agents } = await run.detail();
      return index.speech(agents);
    },
    async episodes(id, query) {
      const run = await named(id);
      const page = run && (await run.index()).page(query);
      if (run?.hasWork) pump();
      return page;
    },
    async episode(id, key) {
      const run = await named(id);
      const found = run && (await run.episode(key));
      if (!run || !found) return null;
      const { row, others, stored } = found;
      const { messageValue } = stored;
      const measured = messageValue.length > 0 ? messageValue : await run.messageValue(row.problem, stored.turns);
      const { config } = await run.detail();
      return { ...stored, row, others, messageValue: measured, config, directory: run.directory };
    },
    async benches() {
      await lookNow(true);
      return Array.from(benches.values(), (bench) => bench.table());
    },
    listen(listener) {
      listeners.add(listener);
      stopLooking ??= every(lookMs, () => void lookNow(looks++ % looksBetween === 0).catch(onError));
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stopLooking?.();
        stopLooking = null;
      };
    },
    size: async () => [...used].reduce((sum, { bytes }) => sum + bytes, 0),
    async close() {
      isClosed = true;
      stopLooking?.();
      stopLooking = null;
      listeners.clear();
      await Promise.all([looking, pumping]);
      for (const run of runs.values()) await run.forget();
    },
  };
}

/** @throws LaconicError `config_invalid` for a folder that is not there */
export async function checkFolders({
  folders,
  mayCome = false,
}: Pick<FolderDataOptions, "folders" | "mayCome">): Promise<void> {
  for (const folder of folders)
    if (!mayCome && (await rootOf(folder)) === null)
      throw new LaconicError("config_invalid", `${folder} does not exist, or is no folder; name a folder with runs`, {
        folder,
      });
}

/** Where a folder really lies; null where there is none. */
async function rootOf(folder: string): Promise<string | null> {
  const path = await realpath(folder).catch(() => null);
  return path !== null && (await stat(path)).isDirectory() ? path : null;
}
