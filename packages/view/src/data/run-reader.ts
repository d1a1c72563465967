import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { declineOf, describeMetric, runFiles } from "@laconic/trainer/reading";
import type { EvaluationRow, MessageValue, RunDetail, RunSummary } from "../protocol.ts";
import { EpisodeIndex } from "./episode-index.ts";
import { MetricColumns } from "./metric-columns.ts";
import { metricUnit } from "./metric-units.ts";
import { knownRecordVersion, readHead } from "./record-content.ts";
import { RowFile } from "./row-file.ts";
import { isHeld, type IsAlive } from "./run-lock.ts";
import type { RunPlace } from "./run-place.ts";
import { evaluationOf, recordOf, summaryOf, trainOf, type RunFacts } from "./run-summary.ts";
import type { TextLimits } from "./text-store.ts";
import { tokenCostsOf } from "./token-price.ts";

type Json = Readonly<Record<string, unknown>>;

/** Files whose end tells whether a row is half written. */
const rowFiles = [runFiles.metrics, runFiles.evaluations, runFiles.records, runFiles.rollouts, runFiles.episodes];

/** What a run takes from outside. */
export interface RunReaderOptions {
  readonly isAlive: IsAlive;
  readonly texts?: Partial<TextLimits>;
}

/** A run folder, read as it grows: small files when they change, rows once, episodes when somebody asks for them. */
export class RunReader {
  readonly id: string;
  readonly #place: RunPlace;
  readonly #name: string;
  readonly #folder: string;
  readonly #options: RunReaderOptions;
  #facts: RunFacts | null = null;
  #summary: RunSummary | null = null;
  /** Sizes and times of its files when they were last looked at. */
  #seen = "";
  readonly #timing: RowFile;
  readonly #seconds: number[] = [];
  #columns: MetricColumns | null = null;
  #index: EpisodeIndex | null = null;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(id: string, place: RunPlace, name: string, folder: string, options: RunReaderOptions) {
    [this.id, this.#place, this.#name, this.#folder, this.#options] = [id, place, name, folder, options];
    this.#timing = new RowFile(place, runFiles.timing);
  }

  /** One after the other: what reads and what clears never meet. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(work, work);
    this.#busy = done.catch(() => undefined);
    return done;
  }

  /** Looks at the files. @returns whether anything changed */
  refresh(): Promise<boolean> {
    return this.#alone(async () => {
      const { seen, bytes, updated } = await this.#look();
      // A process that dies changes no file.
      const held = await isHeld(this.#place, this.#options.isAlive);
      if (this.#facts && seen === this.#seen && held === this.#facts.isHeld) return false;
      this.#seen = seen;
      this.#facts = await this.#readFacts(held, bytes, updated);
      const named = { id: this.id, name: this.#name, folder: this.#folder };
      this.#summary = summaryOf(named, this.#facts, this.#warnings().length);
      await this.#columns?.readNew();
      await this.#index?.findLines();
      return true;
    });
  }

  get directory(): string {
    return this.#place.folder;
  }

  get summary(): RunSummary {
    return this.#summary as RunSummary;
  }

  async detail(): Promise<RunDetail> {
    const [columns, index] = [await this.columns(), await this.index()];
    const { config, environment, evaluations } = this.#facts as RunFacts;
    const damage = [...columns.defects.slice(0, 5), ...index.damage].filter((each) => !this.#warnings().includes(each));
    const state = this.summary.state;
    const isDamaged = damage.length > 0 && (state === "done" || state === "stopped");
    const warnings = [...damage, ...this.#warnings()];
    return {
      summary: {
        ...this.summary,
        ...(isDamaged && { state: "half-written", reason: damage[0] as string }),
        warnings: warnings.length,
      },
      ...{ config, environment, evaluations, warnings },
      agents: this.#agents(columns, index),
      metrics: columns.names().map((name) => ({
        ...{ name, unit: metricUnit(name) },
        meaning: describeMetric(name)?.meaning ?? null,
      })),
      episodes: index.episodes,
    };
  }

  #warnings(): readonly string[] {
    const { evaluations, warnings, damage } = this.#facts as RunFacts;
    const [first, last] = [evaluations[0], evaluations.at(-1)];
    const decline = first && last && first !== last ? declineOf(first, last) : null;
    return [...damage, ...(decline === null ? [] : [decline]), ...warnings];
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
        this.#columns = new MetricColumns(this.#place, runFiles);
        await this.#columns.readNew();
      }
      return this.#columns;
    });
  }

  /** With the places of all lines, and the newest of them read. */
  index(): Promise<EpisodeIndex> {
    return this.#alone(async () => {
      if (!this.#index) {
        const costs = tokenCostsOf(trainOf(this.#facts?.config)["costs"]);
        this.#index = new EpisodeIndex(this.#place, {
          costs,
          ...(this.#options.texts && { texts: this.#options.texts }),
        });
        await this.#index.findLines();
        await this.#index.work(firstLines);
      }
      return this.#index;
    });
  }

  /** Reads some more lines. @returns whether there are still more */
  work(lines: number): Promise<boolean> {
    return this.#alone(async () => (await this.#index?.work(lines)) ?? false);
  }

  get hasWork(): boolean {
    return this.#index !== null && !this.#index.isWhole;
  }

  episode(key: string): ReturnType<EpisodeIndex["episode"]> {
    return this.index().then((index) => this.#alone(() => index.episode(key)));
  }

  /** What leaving out the turns of an episode changes, as `laconic analyze` has measured it. */
  async messageValue(
    problem: string,
    turns: readonly { readonly turn: number; readonly text: string }[],
  ): Promise<MessageValue[]> {
    const rows = rowsIn(await this.#place.text("message-values.jsonl"));
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
      this.#index?.close();
      [this.#index, this.#columns] = [null, null];
    });
  }

  async #look(): Promise<{ readonly seen: string; readonly bytes: number; readonly updated: number }> {
    let [bytes, updated] = [0, 0];
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

  async #readFacts(held: boolean, bytes: number, updated: number): Promise<RunFacts> {
    const config = parsed(await this.#place.text(runFiles.config));
    const foreign = await this.#whyForeign(config);
    const evaluations = rowsIn(await this.#place.text(runFiles.evaluations))
      .map((row) => evaluationOf(row))
      .filter((row): row is EvaluationRow => row !== null);
    await this.#timing.readNew({
      reset: () => void (this.#seconds.length = 0),
      row: (row) => this.#seconds.push(secondsIn(row)),
    });
    const messages = rowsIn(await this.#place.text(runFiles.warnings)).map(({ message }) => String(message));
    return {
      ...{ config: config ?? null, evaluations, foreign, bytes, updated, isHeld: held },
      environment: parsed(await this.#place.text(runFiles.environment)) ?? null,
      warnings: messages,
      step: await this.#lastStep(),
      seconds: this.#seconds,
      damage: held || foreign !== null ? [] : await this.#damage(),
    };
  }

  async #whyForeign(config: unknown): Promise<string | null> {
    const name = runFiles.config;
    if (config === undefined)
      return (await this.#place.stat(name))
        ? `${name} is not JSON, or larger than 8 MiB`
        : `there is no ${name}: it is not a run, or one that has not begun`;
    if (typeof trainOf(config)["steps"] !== "number")
      return `${name} is of something else: it does not say how many steps the run has`;
    const head = await this.#place.bytes(runFiles.records, 0, (await this.#place.stat(runFiles.records)) ? 300 : 0);
    const first = head && head.length > 0 ? readHead(head) : null;
    return first && first.version !== knownRecordVersion
      ? `${runFiles.records} has version ${first.version}, this program reads ${knownRecordVersion}`
      : null;
  }

  async #lastStep(): Promise<number> {
    const found = await this.#place.stat(runFiles.metrics);
    if (!found) return 0;
    for (const length of [1 << 16, 1 << 22]) {
      const from = Math.max(0, found.size - length);
      const tail = await this.#place.bytes(runFiles.metrics, from, found.size - from);
      const rows = rowsIn(tail?.toString("utf8") ?? null);
      const step = rows.at(-1)?.["step"];
      if (typeof step === "number") return step;
      if (from === 0) break;
    }
    return 0;
  }

  async #damage(): Promise<string[]> {
    const found: string[] = [];
    for (const name of rowFiles) {
      const file = await this.#place.stat(name);
      if (!file || file.size === 0) continue;
      const end = await this.#place.bytes(name, file.size - 1, 1);
      if (end && end[0] !== 10) found.push(`${name} ends in the middle of a row`);
    }
    const { size = 0 } = (await this.#place.stat(runFiles.metrics)) ?? {};
    const { gap } = size > 0 && size <= mostCheckedBytes ? await this.#checkedColumns() : { gap: null };
    return gap === null ? found : [...found, gap];
  }

  /** Read for their steps, and kept by who looks at the run. */
  async #checkedColumns(): Promise<MetricColumns> {
    const columns = this.#columns ?? new MetricColumns(this.#place, runFiles);
    await columns.readNew();
    return columns;
  }
}

/** Lines that are read before the first answer: as many episodes as a page shows, and more. */
const firstLines = 32;

/** Metrics of a run in the list are only looked through for lost rows where that takes milliseconds. */
const mostCheckedBytes = 1 << 18;

/** Rows of a small file that are whole. */
function rowsIn(text: string | null): Json[] {
  return (text ?? "").split("\n").flatMap((line) => {
    const row = line === "" ? undefined : parsed(line);
    return typeof row === "object" && row !== null ? [recordOf(row)] : [];
  });
}

/** Undefined for what is not JSON. */
function parsed(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function secondsIn(row: Buffer): number {
  return Object.entries(recordOf(parsed(row.toString("utf8")))).reduce(
    (sum, [name, value]) => (name.startsWith("timing_s/") && typeof value === "number" ? sum + value : sum),
    0,
  );
}

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
