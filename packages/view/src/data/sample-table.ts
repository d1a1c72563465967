import { createHash } from "node:crypto";
import { clusteredWilsonInterval, type Cluster } from "@laconic/core/numeric";
import type { RowPlace } from "@laconic/trainer/reading";
import type { BenchRow, SampleQuery, SampleRow, SampleVerdict } from "../protocol.ts";
import { Growing, integers, Names, reals, wholes } from "./growing.ts";
import { mostFirst } from "./select-rows.ts";
import { TextStore, type TextLimits } from "./text-store.ts";

const verdicts: readonly SampleVerdict[] = ["right", "wrong", "failed", "undecided"];
const maxShown = 200;
/** More words than this are not looked for. */
const maxWords = 16;

/** What the table holds of a question. */
interface Question {
  readonly text: string;
  readonly gold: string;
  readonly place: RowPlace | null;
}

const noQuestion: Question = { text: "", gold: "", place: null };

/** Samples of a bench by column, some 100 bytes each, and their answers in small letters. Contents stay in the bench's files. */
export class SampleTable {
  readonly #names = { benchmark: new Names(), method: new Names(), problem: new Names(), extracted: new Names() };
  readonly #benchmark = wholes();
  readonly #method = wholes();
  /** Of benchmark and id together. */
  readonly #problem = wholes();
  readonly #extracted = integers();
  readonly #repeat = wholes();
  readonly #verdict = wholes();
  /** NaN where there is none, as of dollars. */
  readonly #score = reals();
  readonly #tokens = wholes();
  readonly #calls = wholes();
  /** NaN where it is not known. */
  readonly #usd = reals();
  readonly #seconds = reals();
  readonly #from = reals();
  readonly #length = wholes();
  /** 48 bits of the sample's hash: what names it in addresses. */
  readonly #key = reals();
  readonly #rowOfKey = new Map<number, number>();
  /** Rows that a later one replaced: the last of a sample that stands twice counts. */
  readonly #replaced = new Set<number>();
  readonly #said: TextStore;
  readonly #asked: TextStore;
  readonly #questions: Question[] = [];
  readonly #askedOf: number[] = [];
  readonly #ids: string[] = [];

  constructor(limits: Partial<TextLimits> = {}) {
    this.#said = new TextStore(limits);
    this.#asked = new TextStore(limits);
  }

  /** A question: its samples may come before it. */
  ask(benchmark: string, id: string, question: Question): void {
    const number = this.#problemNumber(benchmark, id);
    this.#questions[number] = { ...question, text: copied(question.text) };
    this.#askedOf[number] = this.#asked.add(question.text);
  }

  #problemNumber(benchmark: string, id: string): number {
    const number = this.#names.problem.numberOf(JSON.stringify([benchmark, id]));
    this.#questions[number] ??= noQuestion;
    this.#askedOf[number] ??= -1;
    this.#ids[number] ??= id;
    return number;
  }

  /** Anything but a sample is passed over. */
  add(row: Readonly<Record<string, unknown>> | null, place: RowPlace): void {
    const { benchmark, method, problem, repeat, setting, status, correct, config, answer, extracted } = row ?? {};
    if (typeof benchmark !== "string" || typeof method !== "string" || typeof problem !== "string") return;
    const number = (name: string): number => {
      const value = row?.[name];
      return typeof value === "number" && value >= 0 ? value : 0;
    };
    const at = this.#key.length;
    const key = keyNumber(JSON.stringify([benchmark, problem, method, repeat, config]));
    const before = this.#rowOfKey.get(key);
    if (before !== undefined) this.#replaced.add(before);
    this.#rowOfKey.set(key, at);
    const verdict = status === "scored" ? (correct === true ? 0 : 1) : status === "undecided" ? 3 : 2;
    this.#benchmark.push(this.#names.benchmark.numberOf(benchmark));
    this.#method.push(this.#names.method.numberOf(setting === "dealt" ? `${method} (dealt)` : method));
    this.#problem.push(this.#problemNumber(benchmark, problem));
    this.#extracted.push(typeof extracted === "string" ? this.#names.extracted.numberOf(copied(extracted)) : -1);
    this.#repeat.push(number("repeat"));
    this.#verdict.push(verdict);
    this.#score.push(numberOrNaN(row?.["score"]));
    this.#tokens.push(number("promptTokens") + number("completionTokens"));
    this.#calls.push(number("calls"));
    this.#usd.push(numberOrNaN(row?.["usd"]));
    this.#seconds.push(number("seconds"));
    this.#from.push(place.from);
    this.#length.push(place.length);
    this.#key.push(key);
    this.#said.add(typeof answer === "string" ? answer : "");
  }

  get bytes(): number {
    const columns: readonly Growing<Float64Array | Uint32Array | Int32Array>[] = [
      this.#benchmark,
      this.#method,
      this.#problem,
      this.#extracted,
      this.#repeat,
      this.#verdict,
      this.#score,
      this.#tokens,
      this.#calls,
      this.#usd,
      this.#seconds,
      this.#from,
      this.#length,
      this.#key,
    ];
    const names = Object.values(this.#names).reduce((sum, { bytes }) => sum + bytes, 0);
    const keys = 40 * this.#rowOfKey.size;
    return columns.reduce((sum, { bytes }) => sum + bytes, this.#said.bytes + this.#asked.bytes + names + keys);
  }

  get methods(): readonly string[] {
    return this.#names.method.all();
  }

  get benchmarks(): readonly string[] {
    return this.#names.benchmark.all();
  }

  /** Samples that count. */
  get count(): number {
    return this.#rowOfKey.size;
  }

  /** Undefined for a sample that is not there. */
  rowNamed(key: string): number | undefined {
    return /^[\da-f]{12}$/u.test(key) ? this.#rowOfKey.get(Number.parseInt(key, 16)) : undefined;
  }

  placeOf(row: number): RowPlace {
    return { from: this.#from.at(row), length: this.#length.at(row) };
  }

  questionOf(row: number): Question {
    return this.#questions[this.#problem.at(row)] ?? noQuestion;
  }

  /** What a page shows of a sample. */
  shown(row: number): SampleRow {
    const extracted = this.#extracted.at(row);
    const { text, gold } = this.questionOf(row);
    return {
      key: this.#key.at(row).toString(16).padStart(12, "0"),
      benchmark: this.#names.benchmark.at(this.#benchmark.at(row)),
      problem: this.#ids[this.#problem.at(row)] ?? "",
      question: text,
      gold: copied(gold),
      extracted: extracted < 0 ? null : this.#names.extracted.at(extracted),
      method: this.#names.method.at(this.#method.at(row)),
      repeat: this.#repeat.at(row),
      verdict: verdicts[this.#verdict.at(row)] as SampleVerdict,
      score: numberOrNull(this.#score.at(row)),
      tokens: this.#tokens.at(row),
      calls: this.#calls.at(row),
      usd: numberOrNull(this.#usd.at(row)),
      seconds: this.#seconds.at(row),
    };
  }

  /** Samples of the same question, this one left out, by method and repeat. */
  others(row: number, most: number): number[] {
    const problem = this.#problem.at(row);
    const found: number[] = [];
    for (let other = 0; other < this.#key.length && found.length < most; other++)
      if (other !== row && this.#problem.at(other) === problem && !this.#replaced.has(other)) found.push(other);
    return found.toSorted((a, b) => this.#method.at(a) - this.#method.at(b) || this.#repeat.at(a) - this.#repeat.at(b));
  }

  /** Rows that a query asks for, in its order; offset and limit are not heeded. */
  select(query: SampleQuery): Uint32Array {
    const { text = "", method, against, benchmark, verdict, sort = "question" } = query;
    const hasWords = this.#having(text.split(/\s+/u).filter((word) => word !== ""));
    const methods = [method, against].flatMap((name) => (name === undefined ? [] : [this.#names.method.find(name)]));
    const set = benchmark === undefined ? undefined : (this.#names.benchmark.find(benchmark) ?? -1);
    const disagreeing = against === undefined ? null : this.#disagreeing(method, against);
    const wanted = verdict === undefined ? undefined : verdicts.indexOf(verdict);
    const rows = new Uint32Array(this.#key.length);
    let count = 0;
    for (let row = 0; row < this.#key.length; row++) {
      if (this.#replaced.has(row)) continue;
      if (methods.length > 0 && !methods.includes(this.#method.at(row))) continue;
      if (set !== undefined && this.#benchmark.at(row) !== set) continue;
      if (wanted !== undefined && this.#verdict.at(row) !== wanted) continue;
      if (disagreeing && !disagreeing.has(this.#askedOnce(row))) continue;
      if (hasWords && !hasWords(row)) continue;
      rows[count++] = row;
    }
    return this.#sorted(rows.subarray(0, count), sort);
  }

  #sorted(rows: Uint32Array, sort: NonNullable<SampleQuery["sort"]>): Uint32Array {
    if (sort === "newest") return rows.toReversed();
    if (sort === "tokens") return mostFirst(rows, (row) => this.#tokens.at(row));
    if (sort === "cost") return mostFirst(rows, (row) => this.#usd.at(row));
    if (sort === "time") return mostFirst(rows, (row) => this.#seconds.at(row));
    // By question, then as tables have the methods: what is to be compared stands together.
    return rows.toSorted(
      (a, b) =>
        this.#problem.at(a) - this.#problem.at(b) ||
        this.#repeat.at(a) - this.#repeat.at(b) ||
        this.#method.at(a) - this.#method.at(b),
    );
  }

  /** A question's repeat: what two methods are compared on. */
  #askedOnce(row: number): number {
    return this.#problem.at(row) * 4096 + (this.#repeat.at(row) % 4096);
  }

  /** Where one of two methods is right and the other is not; with one method alone, where any other differs from it. */
  #disagreeing(method: string | undefined, against: string): Set<number> {
    const [one, two] = [
      method === undefined ? undefined : this.#names.method.find(method),
      this.#names.method.find(against),
    ];
    const rights = new Map<number, number>();
    for (let row = 0; row < this.#key.length; row++) {
      const is = this.#method.at(row);
      const verdict = this.#verdict.at(row);
      if (this.#replaced.has(row) || verdict > 1) continue;
      // Bits: the second method is right, is wrong; the first, or with none named any other, is right, is wrong.
      const bit = is === two ? 1 << verdict : one === undefined || is === one ? 4 << verdict : 0;
      rights.set(this.#askedOnce(row), (rights.get(this.#askedOnce(row)) ?? 0) | bit);
    }
    return new Set([...rights].flatMap(([key, bits]) => ((bits & 9) === 9 || (bits & 6) === 6 ? [key] : [])));
  }

  /** Rows in whose question or answer every word stands; null where there are no words. */
  #having(words: readonly string[]): ((row: number) => boolean) | null {
    if (words.length === 0) return null;
    const found = words.slice(0, maxWords).map((word) => {
      const [asked, said] = [new Uint8Array(this.#asked.length), new Uint8Array(this.#said.length)];
      this.#asked.find(word, asked);
      this.#said.find(word, said);
      return { asked, said };
    });
    return (row) =>
      found.every(({ asked, said }) => said[row] === 1 || asked[this.#askedOf[this.#problem.at(row)] ?? -1] === 1);
  }

  /** Methods on benchmarks, in the order in which they came. */
  summed(): BenchRow[] {
    const groups = new Map<
      number,
      {
        questions: Map<number, Cluster>;
        repeats: Set<number>;
        tokens: number;
        first: number;
      }
    >();
    for (let row = 0; row < this.#key.length; row++) {
      if (this.#replaced.has(row)) continue;
      const key = this.#benchmark.at(row) * 65_536 + this.#method.at(row);
      const sums = groups.get(key) ?? {
        questions: new Map(),
        repeats: new Set(),
        tokens: 0,
        first: row,
      };
      groups.set(key, sums);
      sums.repeats.add(this.#repeat.at(row));
      const problem = this.#problem.at(row);
      const { successes, trials } = sums.questions.get(problem) ?? { successes: 0, trials: 0 };
      const [isRight, isScored] = [this.#verdict.at(row) === 0, this.#verdict.at(row) <= 1];
      sums.questions.set(problem, { successes: successes + Number(isRight), trials: trials + Number(isScored) });
      if (isScored) sums.tokens += this.#tokens.at(row);
    }
    return Array.from(groups.values(), ({ questions, repeats, tokens, first }) => {
      const clusters = [...questions.values()];
      const [right, scored] = clusters.reduce(([sum, of], each) => [sum + each.successes, of + each.trials], [0, 0]);
      return {
        method: this.#names.method.at(this.#method.at(first)),
        benchmark: this.#names.benchmark.at(this.#benchmark.at(first)),
        questions: questions.size,
        seeds: repeats.size,
        accuracy: scored === 0 ? Number.NaN : right / scored,
        interval: clusteredWilsonInterval(clusters),
        tokens: scored === 0 ? Number.NaN : tokens / scored,
      };
    });
  }

  close(): void {
    this.#said.close();
    this.#asked.close();
  }
}

const numberOrNaN = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
const numberOrNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

function keyNumber(sample: string): number {
  return createHash("sha256").update(sample).digest().readUIntBE(0, 6);
}

/** The beginning of a text, as a text of its own: a part would keep the whole in memory. */
function copied(text: string): string {
  return text.length <= maxShown
    ? text
    : Buffer.from(text.slice(0, maxShown))
        .toString()
        .replace(/\uFFFD$/u, "");
}
