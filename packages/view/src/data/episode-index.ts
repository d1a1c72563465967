import { thrownText } from "@laconic/core";
import type { StoredContent, TracePart } from "@laconic/core/run-folder";
import {
  episodeContent,
  EpisodeFile,
  CutOffError,
  partsIn,
  runFiles,
  type EpisodeEntry,
} from "@laconic/trainer/reading";
import { costBreakdown } from "@laconic/core/ledger";
import type {
  EpisodeDetail,
  EpisodePage,
  EpisodeQuery,
  EpisodeSummary,
  Speech,
  SpeechStep,
  TellingEpisode,
} from "../protocol.ts";
import { evaluatedEpisode, gradeOf, trainedEpisode } from "./episode-detail.ts";
import { trainedCharges, type CostSettings } from "./episode-charges.ts";
import { keyOf, orderOf, prefixOf, type IndexedLine } from "./episode-line.ts";
import { EpisodeTable } from "./episode-table.ts";
import { selectRows, spaced } from "./select-rows.ts";
import type { RunPlace } from "./run-place.ts";
import { speechOf } from "./step-speech.ts";
import { tellingEpisodes } from "./telling-episodes.ts";
import type { TextLimits } from "./text-store.ts";

/** What is fixed for a run. */
export interface IndexSettings {
  readonly costs: CostSettings;
  readonly texts?: Partial<TextLimits>;
  readonly maxEpisodes?: number;
}

const maxWarnings = 20;

/** Lines whose places are noted at once, of the newest steps. */
const firstLines = 32;

/** Of more the older ones are not searched: 50 bytes and their words each. */
const maxEpisodes = 200_000;

/** A part of the file whose lines are not noted yet. */
interface UnreadPart extends TracePart {
  readonly bytes: number;
}

/**
 * The episodes of a run: where each stands, its figures, and its words to be searched. First the places of the newest lines are noted, which
 * is fast; then lines are read, those of the newest steps first, part by part.
 */
export class EpisodeIndex {
  readonly #place: RunPlace;
  readonly #settings: IndexSettings;
  #file: EpisodeFile;
  #lines: IndexedLine[] = [];
  #waiting: IndexedLine[] = [];
  /** The line that counts, by step and kind: of steps that stand twice, the last. */
  #records = new Map<string, IndexedLine>();
  #table: EpisodeTable;
  #speech = new Map<number, SpeechStep>();
  #agents = new Set<string>();
  #damage: string[] = [];
  /** A line was read while a resume cut its file off: by the next look the file may be as long again. */
  #wasCut = false;
  /** Oldest first. */
  #unread: readonly UnreadPart[] = [];
  readonly #maxEpisodes: number;
  #inOrder: readonly IndexedLine[] | null = null;
  /** Counts changes. */
  version = 0;

  constructor(place: RunPlace, settings: IndexSettings) {
    this.#place = place;
    this.#settings = settings;
    this.#file = new EpisodeFile(place);
    this.#table = new EpisodeTable(settings.texts);
    this.#maxEpisodes = settings.maxEpisodes ?? maxEpisodes;
  }

  /** Finds lines that are new. @returns whether there were any */
  async findLines(): Promise<boolean> {
    let isFirst = this.#lines.length === 0;
    const read = await this.#readFile();
    let isNew = read !== false || this.#wasCut;
    if (read === "replaced" || this.#wasCut) {
      this.#clear();
      isFirst = true;
      await this.#readFile();
    }
    if (isFirst) {
      const parts = await partsIn(this.#place, runFiles.episodes);
      this.#unread = await Promise.all(
        parts.map(async (part) => ({ ...part, bytes: (await this.#place.stat(part.name))?.size ?? 0 })),
      );
    }
    while (this.#lines.length < firstLines && (await this.#readPart())) isNew = true;
    if (isNew) this.#changed();
    return isNew;
  }

  async #readFile(): Promise<boolean | "replaced"> {
    let isReplaced = false;
    const isNew = await this.#file.readNew({
      reset: () => void (isReplaced = true),
      entry: (entry) => this.#note(entry),
      damage: (message) => this.#tell(message),
    });
    return isReplaced ? "replaced" : isNew;
  }

  /** Notes the lines of a part: of the newest that is unread, or of another. @returns whether there was one */
  async #readPart(part: UnreadPart | undefined = this.#unread.at(-1)): Promise<boolean> {
    if (!part) return false;
    this.#unread = this.#unread.filter((each) => each !== part);
    await new EpisodeFile(this.#place, part.name).readNew({
      reset: () => undefined,
      entry: (entry) => this.#note(entry),
      damage: (message) => this.#tell(message),
    });
    return true;
  }

  #note(entry: EpisodeEntry): void {
    const line: IndexedLine = {
      index: this.#lines.length,
      entry,
      step: entry.step,
      kind: entry.kind === "step" ? "training" : "evaluation",
      first: 0,
      rows: 0,
      state: "waiting",
    };
    this.#lines.push(line);
    this.#waiting.push(line);
    if (entry.isComplete) this.#records.set(keyOf(line), line);
  }

  /**
   * Reads so many lines that wait, those of the newest steps first.
   * @param episodes - fewer lines where that many are there by then
   * @returns whether there are more
   */
  async work(lines: number, episodes: number = Infinity): Promise<boolean> {
    this.#waiting.sort((a, b) => orderOf(a) - orderOf(b));
    for (let i = 0; i < lines; i++) {
      if (this.#waiting.length === 0 && !this.isWhole) {
        await this.#readPart();
        this.#waiting.sort((a, b) => orderOf(a) - orderOf(b));
      }
      const line = this.#waiting.pop();
      if (!line) break;
      if (this.#table.length >= episodes) {
        this.#waiting.push(line);
        break;
      }
      // What another line says again is not read.
      if (this.#counts(line)) await this.#readLine(line);
    }
    this.#changed();
    return !this.isWhole;
  }

  async #readLine(line: IndexedLine): Promise<void> {
    line.first = this.#table.length;
    try {
      this.#add(line, await episodeContent(this.#place, line.entry));
      line.state = "read";
    } catch (error) {
      line.state = "unreadable";
      this.#miss(line, error);
    }
    line.rows = this.#table.length - line.first;
  }

  /** A line that cannot be read: a resume has cut it off, which the next look sees, or it is damaged. */
  #miss({ entry }: IndexedLine, error: unknown): null {
    if (error instanceof CutOffError) this.#wasCut = true;
    this.#tell(`${entry.file}: row ${entry.number} cannot be read: ${thrownText(error).slice(0, 200)}`);
    return null;
  }

  #add(line: IndexedLine, content: StoredContent): void {
    const of = (episode: number) => {
      const found = content.episodes[episode];
      if (!found) throw new Error(`there is no episode ${episode} in it`);
      return { episode: found, utterances: found.utterances.flatMap((each) => content.utterances[each] ?? []) };
    };
    for (const { agent } of content.utterances) this.#agents.add(agent);
    if (line.kind === "evaluation") {
      for (const [at, { problem, episode, task }] of (content.played ?? []).entries())
        this.#table.add({
          line: line.index,
          at,
          problem,
          ...of(episode),
          grade: task ?? Number.NaN,
          reward: Number.NaN,
        });
      return;
    }
    const played = (content.rollouts ?? []).map(({ episode }) => of(episode));
    for (const [at, { group, reward }] of (content.rollouts ?? []).entries()) {
      const [problem, own] = [content.problems?.[group], played[at]];
      if (!problem || !own) throw new Error(`there is no problem ${group} in it`);
      const grade = gradeOf(own.episode);
      this.#table.add({ line: line.index, at, problem, ...own, grade, reward: reward ?? Number.NaN });
    }
    // Of some of a step's episodes nobody can tell who spoke how much.
    if (!line.entry.isComplete) return;
    const charged = played.map((each, at) => ({
      ...each,
      cost: costBreakdown(
        { ledger: each.episode.ledger, utterances: each.utterances },
        trainedCharges(content, at, this.#settings.costs),
      ),
    }));
    this.#speech.set(line.step, speechOf(line.step, charged, content.prices ?? {}));
  }

  /** Who spoke to whom, of the steps that are read. */
  speech(agents: readonly string[]): Speech {
    const known = new Set(agents);
    return {
      agents: [...agents, ...[...this.#agents].filter((agent) => !known.has(agent))],
      steps: [...this.#speech.values()].toSorted((a, b) => a.step - b.step),
    };
  }

  page(query: EpisodeQuery): EpisodePage {
    const rows = selectRows(this.#table, this.#ordered(), query);
    const { offset = 0, limit = 50 } = query;
    return {
      total: rows.length,
      indexed: this.#indexed(),
      rows: Array.from(rows.subarray(offset, offset + limit), (row) => this.rowAt(row)),
    };
  }

  rowAt(row: number): EpisodeSummary {
    const line = this.#lines[this.#table.lineOf(row)] as IndexedLine;
    const { kind, step } = line;
    return { key: `${prefixOf(line)}.${this.#table.numberInLine(row)}`, kind, step, ...this.#table.shown(row) };
  }

  /** Null for a key of none, and for a line that cannot be read any more. */
  async episode(key: string): Promise<{
    readonly row: EpisodeSummary;
    readonly others: EpisodeSummary[];
    readonly stored: Omit<EpisodeDetail, "row" | "others">;
  } | null> {
    const [prefix, number] = key.split(".");
    const find = (): IndexedLine | undefined =>
      this.#lines.findLast((each) => prefixOf(each) === prefix && this.#counts(each));
    const step = Number(/^[se](\d+)$/u.exec(prefix ?? "")?.[1] ?? Number.NaN);
    const part = this.#unread.find(({ first, last }) => first <= step && step <= last);
    if (!find() && part) await this.#readPart(part);
    const line = find();
    if (!line || !/^\d+$/u.test(number ?? "")) return null;
    await this.#readWaiting(line);
    const row = line.first + Number(number);
    if (Number(number) >= line.rows) return null;
    const content = await episodeContent(this.#place, line.entry).catch((error: unknown) => this.#miss(line, error));
    if (!content) return null;
    const stored =
      line.kind === "training"
        ? trainedEpisode(content, Number(number), this.#settings.costs)
        : evaluatedEpisode(content, Number(number));
    const sameProblem = selectRows(this.#table, this.#ordered(), { problem: stored.problem.id, sort: "oldest" });
    const others = Array.from(sameProblem)
      .filter((each) => this.#table.lineOf(each) !== this.#table.lineOf(row))
      .slice(0, maxOthers);
    return { row: this.rowAt(row), others: others.map((each) => this.rowAt(each)), stored };
  }

  /** The most telling conversations, with the same problem in some evaluations between the first and the last. */
  async telling(): Promise<readonly TellingEpisode[]> {
    const [oldest] = this.#unread;
    if (oldest) await this.#readPart(oldest);
    const whole = this.#lines.filter((line) => line.entry.isComplete && this.#counts(line));
    const ofKind = (kind: EpisodeSummary["kind"]): readonly IndexedLine[] =>
      whole.filter((line) => line.kind === kind).toSorted((a, b) => a.step - b.step);
    const evaluations = ofKind("evaluation");
    const lines = spaced(evaluations.length > 0 ? evaluations : ofKind("training"), maxOnWay);
    for (const line of lines) await this.#readWaiting(line);
    const rows = lines.map((line) => Array.from({ length: line.rows }, (_, at) => this.rowAt(line.first + at)));
    const [first = [], last = first] = [rows[0], rows.at(-1)];
    return tellingEpisodes(rows.length > 1 ? first : [], last).map((told) => ({
      ...told,
      way: rows.flatMap((own) => own.find(({ problem }) => problem === told.episode.problem) ?? []),
    }));
  }

  /** Before its turn comes. */
  async #readWaiting(line: IndexedLine): Promise<void> {
    if (line.state !== "waiting") return;
    this.#waiting = this.#waiting.filter((each) => each !== line);
    await this.#readLine(line);
    this.#changed();
  }

  /** How many episodes there are: those that are read, and about as many in each line that waits. */
  get episodes(): number {
    const [indexed, read] = [this.#indexed(), this.#lines.filter((line) => line.entry.isComplete && line.rows > 0)];
    const waiting = this.#waiting.filter((line) => this.#counts(line));
    const mean = read.reduce((sum, { rows }) => sum + rows, 0) / Math.max(1, read.length);
    const known = indexed + Math.round(waiting.reduce((sum, { entry }) => sum + (entry.isComplete ? mean : 1), 0));
    const bytes = this.#lines.reduce((sum, { entry }) => sum + entry.length, 0);
    const unread = this.#unread.reduce((sum, part) => sum + part.bytes, 0);
    return bytes === 0 ? known : Math.round(known * (1 + unread / bytes));
  }

  /** Whether there is nothing more to be read: of a very long run the oldest lines stay unread until somebody asks for one. */
  get isWhole(): boolean {
    const isFull = this.#table.length >= this.#maxEpisodes;
    return this.#waiting.length === 0 && (this.#unread.length === 0 || isFull);
  }

  get bytes(): number {
    return this.#table.bytes + 200 * this.#lines.length + 1000 * this.#speech.size;
  }

  /** What was passed over, in words. */
  get damage(): readonly string[] {
    return this.#damage;
  }

  close(): void {
    this.#table.close();
  }

  #indexed(): number {
    return this.#ordered().reduce((sum, { rows }) => sum + rows, 0);
  }

  /** A transcript counts where there is no record of its step, a record where no later one is of its step. */
  #counts(line: IndexedLine): boolean {
    const record = this.#records.get(keyOf(line));
    return record === undefined || record === line;
  }

  #ordered(): readonly IndexedLine[] {
    this.#inOrder ??= this.#lines
      .filter((line) => line.rows > 0 && this.#counts(line))
      .toSorted((a, b) => orderOf(a) - orderOf(b));
    return this.#inOrder;
  }

  #changed(): void {
    this.#inOrder = null;
    this.version++;
  }

  #clear(): void {
    this.#table.close();
    this.#file = new EpisodeFile(this.#place);
    this.#wasCut = false;
    [this.#lines, this.#waiting, this.#damage, this.#unread] = [[], [], [], []];
    [this.#records, this.#speech, this.#agents] = [new Map(), new Map(), new Set()];
    this.#table = new EpisodeTable(this.#settings.texts);
  }

  #tell(message: string): void {
    if (this.#damage.length < maxWarnings && !this.#damage.includes(message)) this.#damage.push(message);
  }
}

const maxOthers = 200;

/** Evaluations that a conversation is shown at: some 20 ms each to read. */
const maxOnWay = 24;
