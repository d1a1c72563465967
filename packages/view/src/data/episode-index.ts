import type { StoredContent } from "@laconic/core/run-folder";
import { thrownText, type AgentId } from "@laconic/core";
import { CutOffError, episodeContent, EpisodeFile, type EpisodeEntry } from "@laconic/trainer/reading";
import type {
  EpisodeDetail,
  EpisodeKind,
  EpisodePage,
  EpisodeQuery,
  Speech,
  SpeechStep,
  TellingEpisode,
} from "../protocol.ts";
import type { CostSettings } from "./episode-charges.ts";
import { episodeDetail } from "./episode-detail.ts";
import { keyPrefix, orderOf, rowsOf, selectRows, speechOf, type ListedRow } from "./episode-rows.ts";
import type { RunPlace } from "../runs/run-place.ts";
import { tellingEpisodes } from "./telling-episodes.ts";
import { spaced } from "./texts.ts";

interface Line {
  readonly entry: EpisodeEntry;
  readonly step: number;
  readonly kind: EpisodeKind;
  /** Null before the line is read. */
  rows: readonly ListedRow[] | null;
}

const maxWarnings = 20;
/** Max episodes and characters in memory. Older episodes are only found by key. */
const limits = { episodes: 200_000, characters: 64e6 } as const;
/** Approximate bytes of a row without text. */
const rowBytes = 400;
const maxOthers = 200;
const maxOnWay = 24;

/** Searchable episodes of a run. Finding the lines of all steps is fast; they are read later, newest first. */
export class EpisodeIndex {
  readonly #place: RunPlace;
  readonly #costs: CostSettings;
  readonly #maxEpisodes: number;
  #file: EpisodeFile;
  #lines: Line[] = [];
  /** Read from the end. */
  #waiting: Line[] = [];
  /** Last complete line of each step and kind; only this one counts. */
  #records = new Map<string, Line>();
  #speech = new Map<number, SpeechStep>();
  #agents = new Set<AgentId>();
  #shared = new Map<string, string>();
  #size = { episodes: 0, characters: 0 };
  /** A resume truncated the file during a read. */
  #wasCut = false;
  /** All rows that count, newest first; null after a change. */
  #ordered: readonly ListedRow[] | null = null;
  #selected: { readonly key: string; readonly rows: readonly ListedRow[] } | null = null;
  damage: string[] = [];

  constructor(place: RunPlace, costs: CostSettings, maxEpisodes: number = limits.episodes) {
    [this.#place, this.#costs, this.#maxEpisodes] = [place, costs, maxEpisodes];
    this.#file = new EpisodeFile(place);
  }

  async findLines(): Promise<void> {
    if (this.#wasCut) {
      this.#clear();
      this.#file = new EpisodeFile(this.#place);
    }
    const isNew = await this.#file.readNew({
      reset: () => this.#clear(),
      entry: (entry) => {
        const kind = entry.kind === "step" ? "training" : "evaluation";
        const line: Line = { entry, step: entry.step, kind, rows: null };
        this.#lines.push(line);
        this.#waiting.push(line);
        if (entry.isComplete) this.#records.set(keyPrefix(kind, entry.step), line);
      },
      damage: (message) => this.#warn(message),
    });
    if (!isNew) return;
    this.#waiting.sort((a, b) => orderOf(a) - orderOf(b));
    this.#changed();
  }

  /**
   * Reads some waiting lines, newest first.
   * @param episodes - stops at this index size
   * @returns whether more lines wait
   */
  async work(lines: number, episodes: number = Infinity): Promise<boolean> {
    for (let i = 0; i < lines && !this.isWhole && this.#size.episodes < episodes; i++) {
      const line = this.#waiting.pop();
      if (line && this.#counts(line)) await this.#readLine(line);
    }
    this.#changed();
    return !this.isWhole;
  }

  async #readLine(line: Line): Promise<void> {
    line.rows = [];
    const content = await this.#contentOf(line);
    if (!content) return;
    try {
      for (const { agent } of content.utterances) this.#agents.add(agent);
      const rows = rowsOf(line, content, this.#shared);
      // Transcripts lack some of a step's episodes.
      if (line.kind === "training" && line.entry.isComplete)
        this.#speech.set(line.step, speechOf(line.step, content, this.#costs));
      line.rows = rows;
    } catch (error) {
      this.#warnUnreadable(line, error);
    }
    this.#size.episodes += line.rows.length;
    for (const { text } of line.rows) this.#size.characters += text.length;
  }

  async #contentOf(line: Line): Promise<StoredContent | null> {
    try {
      return await episodeContent(this.#place, line.entry);
    } catch (error) {
      if (error instanceof CutOffError) this.#wasCut = true;
      this.#warnUnreadable(line, error);
      return null;
    }
  }

  #warnUnreadable({ entry }: Line, error: unknown): void {
    this.#warn(`${entry.file}: row ${entry.number} cannot be read: ${thrownText(error).slice(0, 200)}`);
  }

  #warn(message: string): void {
    if (this.damage.length < maxWarnings && !this.damage.includes(message)) this.damage.push(message);
  }

  speech(agents: readonly AgentId[]): Speech {
    return {
      agents: [...new Set([...agents, ...this.#agents])],
      steps: [...this.#speech.values()].toSorted((a, b) => a.step - b.step),
    };
  }

  page({ offset = 0, limit = 50, ...query }: EpisodeQuery): EpisodePage {
    const key = JSON.stringify(query);
    if (this.#selected?.key !== key) this.#selected = { key, rows: selectRows(this.#rows(), query) };
    const { rows } = this.#selected;
    return {
      total: rows.length,
      indexed: this.#rows().length,
      rows: rows.slice(offset, offset + limit).map(({ summary }) => summary),
    };
  }

  /** Null for an unknown key or a line that is no longer readable. */
  async episode(key: string): Promise<EpisodeDetail | null> {
    const [, prefix = "", number] = /^([se]\d+)\.(\d+)$/u.exec(key) ?? [];
    const line = this.#lines.findLast((other) => keyPrefix(other.kind, other.step) === prefix && this.#counts(other));
    if (!line) return null;
    await this.#readNow(line);
    const row = line.rows?.[Number(number)];
    const content = row && (await this.#contentOf(line));
    if (!row || !content) return null;
    const { problem } = row.summary;
    const others = selectRows(this.#rows(), { problem, sort: "oldest" }).filter((other) => !line.rows?.includes(other));
    return {
      ...episodeDetail(line.kind, content, Number(number), this.#costs),
      row: row.summary,
      others: others.slice(0, maxOthers).map(({ summary }) => summary),
    };
  }

  /** Most telling conversations, each with the same problem in evaluations from first to last. */
  async telling(): Promise<readonly TellingEpisode[]> {
    const ofKind = (kind: EpisodeKind): readonly Line[] =>
      this.#lines
        .filter((line) => line.entry.isComplete && line.kind === kind && this.#counts(line))
        .toSorted((a, b) => a.step - b.step);
    const evaluations = ofKind("evaluation");
    const lines = spaced(evaluations.length > 0 ? evaluations : ofKind("training"), maxOnWay);
    for (const line of lines) await this.#readNow(line);
    const summaries = lines.map(({ rows }) => (rows ?? []).map(({ summary }) => summary));
    const [first = [], last = first] = [summaries[0], summaries.at(-1)];
    return tellingEpisodes(summaries.length > 1 ? first : [], last).map((telling) => ({
      ...telling,
      way: summaries.flatMap((rows) => rows.find(({ problem }) => problem === telling.episode.problem) ?? []),
    }));
  }

  async #readNow(line: Line): Promise<void> {
    if (line.rows !== null) return;
    this.#waiting = this.#waiting.filter((other) => other !== line);
    await this.#readLine(line);
    this.#changed();
  }

  /** Estimated for waiting lines. */
  get episodes(): number {
    const read = this.#lines.filter(({ entry, rows }) => entry.isComplete && rows !== null && rows.length > 0);
    const mean = read.reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0) / Math.max(1, read.length);
    const waiting = this.#waiting.filter((line) => this.#counts(line));
    const estimated = waiting.reduce((sum, { entry }) => sum + (entry.isComplete ? mean : 1), 0);
    return this.#rows().length + Math.round(estimated);
  }

  /** Whether all lines are read or the index is full. */
  get isWhole(): boolean {
    const isFull = this.#size.episodes >= this.#maxEpisodes || this.#size.characters >= limits.characters;
    return isFull || this.#waiting.length === 0;
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    const { episodes, characters } = this.#size;
    return rowBytes * episodes + characters + 200 * this.#lines.length + 1000 * this.#speech.size;
  }

  /** A complete record replaces the transcript and earlier records of its step. */
  #counts(line: Line): boolean {
    const record = this.#records.get(keyPrefix(line.kind, line.step));
    return record === undefined || record === line;
  }

  #rows(): readonly ListedRow[] {
    this.#ordered ??= this.#lines
      .filter((line) => line.rows !== null && this.#counts(line))
      .toSorted((a, b) => orderOf(b) - orderOf(a))
      .flatMap(({ rows }) => rows ?? []);
    return this.#ordered;
  }

  #changed(): void {
    [this.#ordered, this.#selected] = [null, null];
  }

  #clear(): void {
    [this.#lines, this.#waiting, this.damage] = [[], [], []];
    [this.#records, this.#speech, this.#agents] = [new Map(), new Map(), new Set()];
    [this.#wasCut, this.#size, this.#shared] = [false, { episodes: 0, characters: 0 }, new Map()];
    this.#changed();
  }
}
