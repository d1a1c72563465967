import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { thrownText } from "@laconic/core";
import {
  describeChanges,
  describeMetric,
  isRunHeld,
  readRows,
  readRunFacts,
  RowFile,
  rowOf,
  runFiles,
  stepSeconds,
  unreadFacts,
  type LivingProcesses,
  type RunFacts,
  type RunSource,
} from "@laconic/trainer/reading";
import type { FactsBeyondSummary, MessageValue, RunDetail, RunSummary } from "../protocol.ts";
import { costSettingsOf } from "./episode-charges.ts";
import { EpisodeIndex } from "./episode-index.ts";
import { MetricColumns } from "./metric-columns.ts";
import type { RunPlace } from "./run-place.ts";
import type { Lane } from "./lane.ts";
import { recentSteps, summaryOf } from "./run-summary.ts";

/** What a run takes from outside. */
export interface RunReaderOptions {
  readonly processes: LivingProcesses;
  /** Whatever reads files goes through it. */
  readonly lane: Lane;
}

/** A run folder, read as it grows: small files when they change, rows once, episodes when somebody asks for them. */
export class RunReader {
  readonly id: string;
  readonly #place: RunPlace;
  readonly #name: string;
  readonly #folder: string;
  readonly #options: RunReaderOptions;
  #facts: RunFacts | null = null;
  #isHeld = false;
  #summary: RunSummary | null = null;
  /** Sizes and times of its files when they were last looked at. */
  #seen = "";
  /** Its divided files as if they were whole. */
  readonly #source: RunSource;
  readonly #timing: RowFile;
  /** Of all steps, and of the last ones each. */
  #seconds = 0;
  readonly #recent: number[] = [];
  #timed = 0;
  #columns: MetricColumns | null = null;
  #index: EpisodeIndex | null = null;
  /** Reads that had failed before the last look at the files: a disk that failed for once says something else at the next. */
  #failures = 0;
  /** Why it cannot be read as its files are now. */
  #failure: string | null = null;

  constructor(id: string, place: RunPlace, name: string, folder: string, options: RunReaderOptions) {
    [this.id, this.#place, this.#name, this.#folder, this.#options] = [id, place, name, folder, options];
    this.#source = place;
    this.#timing = new RowFile(this.#source, runFiles.timing);
  }

  /** One after the other: what reads and what clears never meet. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#options.lane.do(work);
  }

  /** Looks at the files. A run that cannot be read says why, and fails nobody. @returns whether anything changed */
  refresh(): Promise<boolean> {
    return this.#alone(async () => {
      const { seen, bytes, updated } = await this.#look();
      // A process that dies changes no file.
      const held = await isRunHeld(this.#place, this.#options.processes);
      const { failures } = this.#place;
      const isSame = seen === this.#seen && held === this.#isHeld && failures === this.#failures;
      if (this.#facts && isSame) return false;
      [this.#seen, this.#isHeld, this.#failures] = [seen, held, failures];
      try {
        this.#failure = null;
        this.#facts = await this.#read();
      } catch (error) {
        this.#failure = `its files cannot be read: ${thrownText(error)}`;
        this.#facts = unreadFacts(this.#failure);
      }
      const named = { id: this.id, name: this.#name, folder: this.#folder };
      this.#summary = summaryOf(named, this.#facts, { recent: this.#recent, bytes, updated });
      return true;
    });
  }

  async #read(): Promise<RunFacts> {
    await this.#readSeconds();
    await this.#columns?.readNew(sliceBytes);
    await this.#index?.findLines();
    const seconds = this.#timed > 0 && this.#timing.isWhole ? this.#seconds : null;
    return readRunFacts(this.#source, { processes: this.#options.processes, seconds });
  }

  get directory(): string {
    return this.#place.folder;
  }

  get summary(): RunSummary {
    return this.#summary as RunSummary;
  }

  async detail(): Promise<RunDetail> {
    const [columns, index] = [await this.columns(), await this.index()];
    const facts = this.#facts as RunFacts;
    const { changes, warnings: known } = facts;
    const damage = [...columns.defects.slice(0, 5), ...index.damage].filter((each) => !known.includes(each));
    const state = this.summary.state;
    const isDamaged = damage.length > 0 && (state === "done" || state === "stopped");
    const warnings = [...damage, ...known];
    return {
      summary: {
        ...this.summary,
        ...(isDamaged && { state: "half-written", reason: damage[0] as string }),
        warnings: warnings.length,
      },
      ...beyondSummary(facts, this.summary),
      warnings,
      changes: describeChanges(changes),
      agents: this.#agents(columns, index),
      metrics: columns.names().map((name) => {
        const { unit = "", meaning = null } = describeMetric(name) ?? {};
        return { name, unit, meaning };
      }),
      episodes: index.episodes,
    };
  }

  /** In the order of the evaluations, or else of the metrics. */
  #agents(columns: MetricColumns, index: EpisodeIndex): readonly string[] {
    const evaluated = Object.keys(this.#facts?.evaluations[0]?.silence ?? {});
    const written = columns.names().flatMap((name) => /^tokens\/written\/(.+)$/u.exec(name)?.[1] ?? []);
    return index.speech(evaluated.length > 0 ? evaluated : written).agents;
  }

  columns(): Promise<MetricColumns> {
    return this.#alone(async () => {
      if (!this.#columns) {
        this.#columns = new MetricColumns(this.#source, runFiles, this.#facts?.step);
        if (this.#failure === null) await this.#columns.readNew(sliceBytes);
      }
      return this.#columns;
    });
  }

  /** With the places of all lines, and the newest of them read. */
  index(): Promise<EpisodeIndex> {
    return this.#alone(async () => {
      if (!this.#index) {
        this.#index = new EpisodeIndex(this.#place, costSettingsOf(this.#facts?.train ?? {}));
        if (this.#failure === null) {
          await this.#index.findLines();
          await this.#index.work(firstLines, firstEpisodes);
        }
      }
      return this.#index;
    });
  }

  /** Reads some more rows, and then lines of episodes. @returns whether there are still more */
  work(lines: number): Promise<boolean> {
    return this.#alone(async () => {
      if (this.#hasRows) await this.#readRows();
      else await this.#index?.work(lines);
      return this.hasWork;
    });
  }

  async #readRows(): Promise<void> {
    if (this.#columns && !this.#columns.isWhole) await this.#columns.readNew(sliceBytes);
    if (this.#timing.isWhole) return;
    await this.#readSeconds();
    if (this.#timing.isWhole) this.#seen = ""; // the summary has them now
  }

  /** Whether there are rows of a long run that were not read yet. */
  get #hasRows(): boolean {
    return (
      this.#facts !== null && this.#failure === null && !((this.#columns?.isWhole ?? true) && this.#timing.isWhole)
    );
  }

  get hasWork(): boolean {
    return this.#hasRows || (this.#index !== null && !this.#index.isWhole);
  }

  telling(): ReturnType<EpisodeIndex["telling"]> {
    return this.index().then((index) => this.#alone(() => index.telling()));
  }

  episode(key: string): ReturnType<EpisodeIndex["episode"]> {
    return this.index().then((index) => this.#alone(() => index.episode(key)));
  }

  /** What leaving out the turns of an episode changes, as `laconic analyze` has measured it. */
  async messageValue(
    problem: string,
    turns: readonly { readonly turn: number; readonly text: string }[],
  ): Promise<MessageValue[]> {
    const rows = await readRows(this.#place, "message-values.jsonl");
    return turns.flatMap(({ turn, text }) => {
      const found = rows.find((row) => row["problem"] === problem && row["turn"] === turn && row["text"] === text);
      const value = found?.["value"];
      return typeof value === "number" ? [{ turn, value, interval: null }] : [];
    });
  }

  get bytes(): number {
    return (this.#columns?.bytes ?? 0) + (this.#index?.bytes ?? 0);
  }

  /** Gives back what can be read again. */
  forget(): Promise<void> {
    return this.#alone(async () => {
      [this.#index, this.#columns] = [null, null];
    });
  }

  async #look(): Promise<{ readonly seen: string; readonly bytes: number; readonly updated: number }> {
    let bytes = 0;
    let updated = 0;
    const seen: string[] = [];
    const entries = await readdir(this.#place.folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(this.#place.folder, entry.name);
      if (entry.isDirectory()) bytes += await sizeOf(path, 3);
      else if (entry.isFile()) {
        const found = await lstat(path).catch(() => null);
        if (!found) continue;
        bytes += found.size;
        updated = Math.max(updated, found.mtimeMs);
        seen.push(`${entry.name} ${found.ino} ${found.size} ${found.mtimeMs}`);
      }
    }
    return { seen: seen.join("\n"), bytes, updated };
  }

  async #readSeconds(): Promise<void> {
    await this.#timing.readNew(
      {
        reset: () => {
          [this.#seconds, this.#timed, this.#recent.length] = [0, 0, 0];
        },
        row: (row) => {
          const seconds = stepSeconds(rowOf(row) ?? {});
          this.#seconds += seconds;
          this.#timed += 1;
          this.#recent.push(seconds);
          if (this.#recent.length > recentSteps) this.#recent.shift();
        },
      },
      sliceBytes,
    );
  }
}

/** All but what the list has; settings of the training are in the configuration. */
function beyondSummary(facts: RunFacts, summary: RunSummary): FactsBeyondSummary {
  const rest = Object.entries(facts).filter(([name]) => !(name in summary) && name !== "train" && name !== "changes");
  return Object.fromEntries(rest) as unknown as FactsBeyondSummary;
}

/** Of a file of rows, read at a time: some 30 ms. */
const sliceBytes = 8 << 20;

/** Lines that are read before the first answer: as many episodes as a page shows, and more. */
const firstLines = 32;
const firstEpisodes = 1000;

/** Of a folder's plain files, so many folders deep. */
async function sizeOf(folder: string, depth: number): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) sum += await sizeOf(path, depth - 1);
    else if (entry.isFile()) sum += (await lstat(path).catch(() => null))?.size ?? 0;
  }
  return sum;
}
