import { thrownText, type AgentId } from "@laconic/core";
import type { StoredContent } from "@laconic/core/run-folder";
import { CutOffError, episodeContent, EpisodeFile, type EpisodeEntry } from "@laconic/trainer/reading";
import type {
  EpisodeDetail,
  EpisodeKind,
  EpisodePage,
  EpisodeQuery,
  Speech,
  SpeechStep,
  TellingEpisode,
  EpisodeSummary,
} from "../protocol.ts";
import type { RunPlace } from "../runs/run-place.ts";
import { episodeDetail, type CostSettings } from "./episode-detail.ts";
import { keyPrefix, rowsOf, speechOf } from "./episode-rows.ts";
import { orderOf, pageOf, selectRows, type ListedRow } from "./select.ts";
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

/** Searchable episodes of a run, read as the file grows, newest first. */
export class EpisodeIndex {
  readonly #location: RunPlace;
  readonly #costs: CostSettings;
  readonly #maxEpisodes: number;
  #file: EpisodeFile;
  #lines: Line[] = [];
  #records = new Map<string, Line>();
  #speech = new Map<number, SpeechStep>();
  #agents = new Set<AgentId>();
  #shared = new Map<string, string>();
  #size = { episodes: 0, characters: 0 };
  /** A resume truncated the file during a read. */
  #wasCut = false;
  /** Newest first; null after a change. */
  #ordered: readonly ListedRow[] | null = null;
  damage: string[] = [];

  constructor(runPlace: RunPlace, costs: CostSettings, maxEpisodes: number = limits.episodes) {
    [this.#location, this.#costs, this.#maxEpisodes] = [runPlace, costs, maxEpisodes];
    this.#file = new EpisodeFile(runPlace);
  }

  async readNew(): Promise<void> {
    if (this.#wasCut) {
      this.#clear();
      this.#file = new EpisodeFile(this.#location);
    }
    const isNew = await this.#file.readNew({
      reset: () => this.#clear(),
      entry: (entry) => {
        const kind = entry.kind === "step" ? "training" : "evaluation";
        const line: Line = { entry, step: entry.step, kind, rows: null };
        this.#lines.push(line);
        if (entry.isComplete) this.#records.set(keyPrefix(kind, entry.step), line);
      },
      damage: (message) => this.#warn(message),
    });
    if (!isNew) return;
    const unread = this.#lines.filter((line) => line.rows === null && this.#counts(line));
    for (const line of unread.toSorted((a, b) => orderOf(b) - orderOf(a)))
      if (this.#size.episodes < this.#maxEpisodes && this.#size.characters < limits.characters)
        await this.#readLine(line);
    this.#ordered = null;
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
      return await episodeContent(this.#location, line.entry);
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

  page(query: EpisodeQuery): EpisodePage {
    return pageOf(selectRows(this.#rows(), query), query, ({ summary }) => summary);
  }

  /** Null for an unknown key or unreadable line. */
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

  /** Selected episodes, each with the same problem in evaluations from first to last. */
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
    await this.#readLine(line);
    this.#ordered = null;
  }

  get episodes(): number {
    return this.#rows().length;
  }

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

  #clear(): void {
    [this.#lines, this.damage, this.#ordered] = [[], [], null];
    [this.#records, this.#speech, this.#agents] = [new Map(), new Map(), new Set()];
    [this.#wasCut, this.#size, this.#shared] = [false, { episodes: 0, characters: 0 }, new Map()];
  }
}

/**
 * Returns a run's most telling conversations, most telling first, one per reason. Ties go to the first problem id.
 * 1. `saving`: equal grade in both evaluations and the largest token saving; right ones are preferred.
 * 2. `failure`: right at first, wrong at last, fewest tokens; else wrong at last, most tokens.
 * 3. `silence`: right at last, most silent agents, then fewest tokens.
 * @param first - episodes of the first evaluation
 * @param last - episodes of the last evaluation
 */
export function tellingEpisodes(
  first: readonly EpisodeSummary[],
  last: readonly EpisodeSummary[],
): readonly Omit<TellingEpisode, "way">[] {
  const earlier = new Map(first.map((episode) => [episode.problem, episode]));
  const saved = ({ problem, tokens }: EpisodeSummary): number => (earlier.get(problem)?.tokens ?? tokens) - tokens;
  const isSaving = (episode: EpisodeSummary): boolean => {
    const { grade, answer } = earlier.get(episode.problem) ?? episode;
    return saved(episode) > 0 && grade === episode.grade && (grade !== null || answer === episode.answer);
  };
  const lost = last.filter((episode) => isWrong(episode) && earlier.get(episode.problem)?.grade === 1);
  const isQuiet = ({ grade, silent }: EpisodeSummary): boolean => grade === 1 && silent.length > 0;
  const told: Omit<TellingEpisode, "way">[] = [];
  const tell = (
    why: TellingEpisode["why"],
    candidates: readonly EpisodeSummary[],
    rank: (episode: EpisodeSummary) => readonly [number, number],
  ): void => {
    const [episode] = candidates
      .filter(({ key }) => told.every((other) => other.episode.key !== key))
      .toSorted(byRank(rank));
    if (episode) told.push({ why, episode, before: earlier.get(episode.problem) ?? null });
  };
  tell("saving", last.filter(isSaving), (episode) => [Number(episode.grade === 1), saved(episode)]);
  if (lost.length > 0) tell("failure", lost, ({ tokens }) => [-tokens, 0]);
  else tell("failure", last.filter(isWrong), ({ tokens }) => [tokens, 0]);
  tell("silence", last.filter(isQuiet), ({ silent, tokens }) => [silent.length, -tokens]);
  return told;
}

function isWrong({ grade }: EpisodeSummary): boolean {
  return grade !== null && grade < 1;
}

function byRank(rank: (episode: EpisodeSummary) => readonly [number, number]) {
  return (a: EpisodeSummary, b: EpisodeSummary): number => {
    const [[a1, a2], [b1, b2]] = [rank(a), rank(b)];
    return b1 - a1 || b2 - a2 || (a.problem < b.problem ? -1 : Number(a.problem > b.problem));
  };
}
