import type { AgentId, Problem } from "@laconic/core";
import type { EpisodeSummary } from "../protocol.ts";
import { integers, Names, reals, wholes } from "./growing.ts";
import type { StoredEpisode, StoredUtterance } from "@laconic/core/run-folder";
import { TextStore, type TextLimits } from "./text-store.ts";

/** What the table holds of an episode, beside its texts. */
export interface TableRow {
  readonly line: number;
  /** Its number in the line. */
  readonly at: number;
  readonly problem: Problem;
  readonly episode: Pick<StoredEpisode, "answer" | "ledger">;
  readonly utterances: readonly StoredUtterance[];
  /** NaN where there is none, as the reward. */
  readonly grade: number;
  readonly reward: number;
}

const maxShown = 200;

/** Who spoke in an episode, who of them was silent, and which opponent played some of them. */
interface Speakers {
  readonly spoke: readonly AgentId[];
  readonly silent: readonly AgentId[];
  readonly opponent: string | null;
}

/** Episodes by column: 50 bytes each, and what was said, in small letters. Contents stay in the run's files. */
export class EpisodeTable {
  readonly #line = wholes();
  readonly #at = wholes();
  readonly #problem = wholes();
  readonly #answer = integers();
  readonly #speakers = wholes();
  readonly #tokens = wholes();
  readonly #grade = reals();
  readonly #reward = reals();
  readonly #problems = new Names();
  readonly #questions: string[] = [];
  readonly #answers = new Names();
  readonly #speakersByName = new Names();
  readonly #speakerSets: Speakers[] = [];
  readonly #asked: TextStore;
  readonly #said: TextStore;

  constructor(limits: Partial<TextLimits> = {}) {
    this.#asked = new TextStore(limits);
    this.#said = new TextStore(limits);
  }

  get length(): number {
    return this.#line.length;
  }

  get bytes(): number {
    const columns = [this.#line, this.#at, this.#problem, this.#answer, this.#speakers, this.#tokens];
    const questions = this.#questions.reduce((sum, { length }) => sum + 2 * length + 40, 0);
    return (
      columns.reduce((sum, { bytes }) => sum + bytes, 0) +
      (this.#grade.bytes + this.#reward.bytes + questions) +
      (this.#problems.bytes + this.#answers.bytes + this.#asked.bytes + this.#said.bytes)
    );
  }

  add({ line, at, problem, episode, utterances, grade, reward }: TableRow): void {
    const spoke = [...new Set(utterances.map(({ agent }) => agent))];
    const silent = [...new Set(utterances.filter((each) => each.silent).map(({ agent }) => agent))];
    const opponent = utterances.find((each) => each.opponent !== undefined)?.opponent ?? null;
    const speakers = this.#speakersByName.numberOf(JSON.stringify([spoke, silent, opponent]));
    if (speakers === this.#speakerSets.length) this.#speakerSets.push({ spoke, silent, opponent });
    const { answer } = episode;
    const tokens = episode.ledger.calls.reduce((sum, call) => sum + call.writtenTokens, 0);
    const texts = utterances.map(({ text }) => text);
    const said = typeof answer === "string" && texts.at(-1) !== answer ? [...texts, answer] : texts;
    const problemNumber = this.#problemNumber(problem);
    this.#said.add(said.join("\n"));
    this.#line.push(line);
    this.#at.push(at);
    this.#problem.push(problemNumber);
    this.#answer.push(typeof answer === "string" ? this.#answers.numberOf(clipped(answer)) : -1);
    this.#speakers.push(speakers);
    this.#tokens.push(tokens);
    this.#grade.push(grade);
    this.#reward.push(reward);
  }

  #problemNumber({ id, question, views = {} }: Problem): number {
    // What a damaged row lacks throws here, before any column has grown.
    const [shown, asked] = [clipped(question), [question, ...Object.values(views)].join("\n")];
    const number = this.#problems.numberOf(id);
    if (number < this.#questions.length) return number;
    this.#questions.push(shown);
    this.#asked.add(asked);
    return number;
  }

  lineOf(row: number): number {
    return this.#line.at(row);
  }

  numberInLine(row: number): number {
    return this.#at.at(row);
  }

  problemOf(row: number): number {
    return this.#problem.at(row);
  }

  /** Undefined for a problem that no episode is about. */
  problemNamed(id: string): number | undefined {
    return this.#problems.find(id);
  }

  speakersOf(row: number): Speakers {
    return this.#speakerSets[this.#speakers.at(row)] as Speakers;
  }

  grade(row: number): number {
    return this.#grade.at(row);
  }

  reward(row: number): number {
    return this.#reward.at(row);
  }

  tokens(row: number): number {
    return this.#tokens.at(row);
  }

  /** What a page shows of an episode, but for the place in the run. */
  shown(row: number): Omit<EpisodeSummary, "key" | "kind" | "step"> {
    const answer = this.#answer.at(row);
    const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
    return {
      problem: this.#problems.at(this.#problem.at(row)),
      question: this.#questions[this.#problem.at(row)] ?? "",
      answer: answer < 0 ? null : this.#answers.at(answer),
      grade: orNull(this.#grade.at(row)),
      reward: orNull(this.#reward.at(row)),
      tokens: this.#tokens.at(row),
      silent: this.speakersOf(row).silent,
      opponent: this.speakersOf(row).opponent,
    };
  }

  /** Rows in which every word was said or asked; null where there are no words. */
  having(words: readonly string[]): ((row: number) => boolean) | null {
    const found = words.map((word) => {
      const [asked, said] = [new Uint8Array(this.#asked.length), new Uint8Array(this.length)];
      this.#asked.find(word, asked);
      this.#said.find(word, said);
      return { asked, said };
    });
    if (found.length === 0) return null;
    return (row) => found.every(({ asked, said }) => said[row] === 1 || asked[this.#problem.at(row)] === 1);
  }

  close(): void {
    this.#asked.close();
    this.#said.close();
  }
}

/** The beginning of a text, as a text of its own: a part would keep the whole in memory. */
function clipped(text: string): string {
  if (text.length <= maxShown) return text;
  const cut = /[\uD800-\uDBFF]/u.test(text.charAt(maxShown - 1)) ? maxShown - 1 : maxShown;
  return Buffer.from(text.slice(0, cut)).toString();
}
