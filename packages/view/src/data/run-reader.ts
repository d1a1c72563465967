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
import type { EpisodeDetail, RunDetail, RunSummary, Speech } from "../protocol.ts";
import { costSettingsOf } from "./episode-detail.ts";
import { EpisodeIndex } from "./episode-index.ts";
import type { FoundFolder } from "../runs/find-folders.ts";
import { MetricColumns } from "./metric-columns.ts";
import { budgetOf, recordOf, settingsOf } from "../runs/settings.ts";

/** Steps for the time estimate. The first step loads and compiles, so fewer than three are not enough. */
const recentSteps = 20;
const minRecentSteps = 3;

/** Reads a growing run folder; calls must not overlap. */
export class RunReader {
  readonly #folder: FoundFolder;
  readonly #processes: LivingProcesses;
  readonly #source: RunSource;
  readonly #timing: RowFile;
  readonly #spending: RowFile;
  #facts: RunFacts | null = null;
  /** Null before the first `refresh`. */
  summary: RunSummary | null = null;
  /** File sizes and times, run lock, and failed system calls at the last `refresh`. */
  #seen = "";
  #seconds = 0;
  readonly #recent: number[] = [];
  #usd = 0;
  #columns: MetricColumns | null = null;
  #index: EpisodeIndex | null = null;
  #isReadable = true;

  constructor(folder: FoundFolder, processes: LivingProcesses) {
    [this.#folder, this.#processes] = [folder, processes];
    this.#source = folder.location;
    this.#timing = new RowFile(this.#source, runFiles.timing);
    this.#spending = new RowFile(this.#source, "spending.jsonl");
  }

  /** Summaries of unreadable runs have the reason. @returns whether anything changed */
  async refresh(): Promise<boolean> {
    const { location, id, name, folder } = this.#folder;
    const { files, bytes, updated } = await filesIn(location.folder);
    // These change without a file: a process can die, and a failing disk can recover.
    const seen = [...files, await isRunHeld(location, this.#processes), location.failures].join("\n");
    if (this.#facts && seen === this.#seen) return false;
    this.#seen = seen;
    try {
      await this.#readSeconds();
      await this.#readSpending();
      await this.#columns?.readNew();
      await this.#index?.readNew();
      const seconds = this.#timing.rows > 0 ? this.#seconds : null;
      this.#facts = await readRunFacts(this.#source, { processes: this.#processes, seconds });
      this.#isReadable = true;
    } catch (error) {
      this.#facts = unreadFacts(`its files cannot be read: ${thrownText(error)}`);
      this.#isReadable = false;
    }
    const usd = this.#spending.rows > 0 ? this.#usd : null;
    this.summary = { id, name, folder, bytes, usd, ...summaryOf(this.#facts, this.#recent, updated) };
    return true;
  }

  get directory(): string {
    return this.#folder.location.folder;
  }

  get config(): unknown {
    return this.#facts?.config ?? null;
  }

  async detail(): Promise<RunDetail> {
    const [columns, index] = [await this.columns(), await this.index()];
    const [facts, summary] = [this.#facts!, this.summary!];
    const { config, environment, evaluations, test, warnedAt } = facts;
    const damage = [...columns.defects.slice(0, 5), ...index.damage].filter(
      (defect) => !facts.warnings.includes(defect),
    );
    const warnings = [...damage, ...facts.warnings];
    const isDamaged = damage.length > 0 && (summary.state === "done" || summary.state === "stopped");
    return {
      summary: {
        ...summary,
        ...(isDamaged && { state: "half-written", reason: damage[0]! }),
        warnings: warnings.length,
      },
      config,
      environment,
      evaluations,
      test,
      warnedAt,
      warnings,
      changes: describeChanges(facts.changes),
      agents: (await this.speech()).agents,
      metrics: columns.names().map((name) => {
        const { unit = "", meaning = null } = describeMetric(name) ?? {};
        return { name, unit, meaning };
      }),
      episodes: index.episodes,
    };
  }

  /** Agents in the order of evaluations, else of their first turns. */
  async speech(): Promise<Speech> {
    return (await this.index()).speech(this.summary?.agents ?? []);
  }

  async columns(): Promise<MetricColumns> {
    if (!this.#columns) {
      this.#columns = new MetricColumns(this.#source, this.#facts?.step);
      if (this.#isReadable) await this.#columns.readNew();
    }
    return this.#columns;
  }

  async index(): Promise<EpisodeIndex> {
    if (!this.#index) {
      this.#index = new EpisodeIndex(this.#folder.location, costSettingsOf(this.#facts?.train ?? {}));
      if (this.#isReadable) await this.#index.readNew();
    }
    return this.#index;
  }

  /** With values from `laconic analyze`, unless the episode has its own. */
  async episode(key: string): Promise<EpisodeDetail | null> {
    const episode = await (await this.index()).episode(key);
    if (!episode || episode.messageValue.length > 0) return episode;
    const { problem } = episode.row;
    const rows = await readRows(this.#folder.location, "message-values.jsonl");
    const messageValue = episode.turns.flatMap(({ turn, text }) => {
      const row = rows.find((item) => item["problem"] === problem && item["turn"] === turn && item["text"] === text);
      const value = row?.["value"];
      return typeof value === "number" ? [{ turn, value, interval: null }] : [];
    });
    return { ...episode, messageValue };
  }

  get bytes(): number {
    return (this.#columns?.bytes ?? 0) + (this.#index?.bytes ?? 0);
  }

  forget(): void {
    [this.#index, this.#columns] = [null, null];
  }

  async #readSeconds(): Promise<void> {
    await this.#timing.readNew({
      reset: () => {
        [this.#seconds, this.#recent.length] = [0, 0];
      },
      row: (row) => {
        const seconds = stepSeconds(rowOf(row) ?? {});
        this.#seconds += seconds;
        this.#recent.push(seconds);
        if (this.#recent.length > recentSteps) this.#recent.shift();
      },
    });
  }

  async #readSpending(): Promise<void> {
    await this.#spending.readNew({
      reset: () => {
        this.#usd = 0;
      },
      row: (row) => {
        const { usd, before } = rowOf(row) ?? {};
        for (const value of [usd, before]) if (typeof value === "number") this.#usd += value;
      },
    });
  }
}

function summaryOf(
  facts: RunFacts,
  recent: readonly number[],
  updated: number,
): Omit<RunSummary, "id" | "name" | "folder" | "bytes" | "usd"> {
  const {
    config,
    train,
    environment: _,
    evaluations,
    test: __,
    changes: ___,
    warnings,
    warnedAt: ____,
    ...shown
  } = facts;
  const { state, step, plannedSteps } = shown;
  const isEstimable = state === "running" && plannedSteps !== null && recent.length >= minRecentSteps;
  return {
    ...shown,
    updated: shown.updated || updated,
    warnings: warnings.length,
    secondsLeft: isEstimable ? Math.max(0, plannedSteps - step) * median(recent) : null,
    task: nameOf(recordOf(config)["task"]),
    model: nameOf(recordOf(config)["model"]),
    agents: Object.keys(evaluations[0]?.silence ?? {}),
    objective: nameOf(train["objective"]),
    budgetTokens: budgetOf(train),
    settings: settingsOf(config),
  };
}

function nameOf(value: unknown): string | null {
  const { name, file } = recordOf(value);
  const shown = [name, file, value].find((item) => typeof item === "string" || typeof item === "number");
  return shown === undefined ? null : String(shown);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half) - 1] ?? 0)) / 2;
}

/** Files of a folder with inode, size and time; `bytes` includes three levels of subfolders. */
async function filesIn(folder: string, depth = 3): Promise<{ files: string[]; bytes: number; updated: number }> {
  const match = { files: [] as string[], bytes: 0, updated: 0 };
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth >= 0) match.bytes += (await filesIn(path, depth - 1)).bytes;
    const file = entry.isFile() ? await lstat(path).catch(() => null) : null;
    if (!file) continue;
    match.bytes += file.size;
    match.updated = Math.max(match.updated, file.mtimeMs);
    match.files.push(`${entry.name} ${file.ino} ${file.size} ${file.mtimeMs}`);
  }
  return match;
}
