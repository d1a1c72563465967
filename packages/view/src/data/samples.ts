import { createHash } from "node:crypto";
import type { UnknownRecord } from "@laconic/core";
import { clusteredWilsonInterval, type Cluster } from "@laconic/core/numeric";
import type { RowPlace } from "@laconic/trainer/reading";
import type { BenchRow, SampleQuery, SampleRow, SampleVerdict } from "../protocol.ts";
import { mostFirst } from "./episode-rows.ts";
import { clipped, wordsOf } from "./texts.ts";

/** A question of a bench. Its samples may come before it. */
export interface Question {
  text: string;
  gold: string;
  place: RowPlace | null;
}

/** A sample of a bench. Its requests stay in the bench's files. */
export interface Sample {
  readonly row: Omit<SampleRow, "question" | "gold">;
  readonly question: Question;
  readonly place: RowPlace;
  /** Position of its question and its method in the order of their first samples. */
  readonly order: readonly [question: number, method: number];
  /** The answer in lower case. */
  readonly answer: string;
}

/** Samples of a bench with their questions. */
export class SampleList {
  readonly #questions = new Map<string, { readonly number: number; readonly question: Question }>();
  readonly #samples = new Map<string, Sample>();
  readonly #methods = new Map<string, number>();
  readonly #benchmarks = new Set<string>();
  #characters = 0;

  ask(benchmark: string, id: string, { text, gold, place }: Question): void {
    Object.assign(this.#question(benchmark, id).question, { text, gold, place });
  }

  #question(benchmark: string, id: string): { readonly number: number; readonly question: Question } {
    const key = JSON.stringify([benchmark, id]);
    const entry = this.#questions.get(key) ?? {
      number: this.#questions.size,
      question: { text: "", gold: "", place: null },
    };
    this.#questions.set(key, entry);
    return entry;
  }

  /** Adds a record of a sample; other rows are ignored. The last record of a sample counts. */
  add(record: UnknownRecord | null, place: RowPlace): void {
    const {
      benchmark,
      method: plain,
      problem,
      repeat,
      setting,
      status,
      correct,
      config,
      answer,
      extracted,
    } = record ?? {};
    if (typeof benchmark !== "string" || typeof plain !== "string" || typeof problem !== "string") return;
    const count = (name: string): number => {
      const value = record?.[name];
      return typeof value === "number" && value >= 0 ? value : 0;
    };
    const numberOrNull = (name: string): number | null => {
      const value = record?.[name];
      return typeof value === "number" ? value : null;
    };
    const method = setting === "dealt" ? `${plain} (dealt)` : plain;
    const order = this.#methods.get(method) ?? this.#methods.size;
    this.#methods.set(method, order);
    this.#benchmarks.add(benchmark);
    const { number, question } = this.#question(benchmark, problem);
    const key = createHash("sha256")
      .update(JSON.stringify([benchmark, problem, plain, repeat, config]))
      .digest("hex")
      .slice(0, 12);
    const text = typeof answer === "string" ? answer.toLowerCase() : "";
    this.#characters += text.length;
    this.#samples.delete(key);
    this.#samples.set(key, {
      row: {
        key,
        benchmark,
        problem,
        extracted: typeof extracted === "string" ? clipped(extracted) : null,
        method,
        repeat: count("repeat"),
        verdict: verdictOf(status, correct),
        score: numberOrNull("score"),
        tokens: count("promptTokens") + count("completionTokens"),
        calls: count("calls"),
        usd: numberOrNull("usd"),
        seconds: count("seconds"),
      },
      question,
      place,
      order: [number, order],
      answer: text,
    });
  }

  /** Approximate size in memory. */
  get bytes(): number {
    return 500 * this.#samples.size + this.#characters;
  }

  get methods(): readonly string[] {
    return [...this.#methods.keys()];
  }

  get benchmarks(): readonly string[] {
    return [...this.#benchmarks];
  }

  get count(): number {
    return this.#samples.size;
  }

  get(key: string): Sample | undefined {
    return this.#samples.get(key);
  }

  /** Samples of the same question, by method and repeat. */
  others(sample: Sample): readonly Sample[] {
    return [...this.#samples.values()]
      .filter((other) => other !== sample && other.question === sample.question)
      .toSorted(byQuestion);
  }

  /** Samples that a query asks for, in its order. Offset and limit are ignored. */
  select({ text = "", method, against, benchmark, verdict, sort = "question" }: SampleQuery): readonly Sample[] {
    const all = [...this.#samples.values()];
    const words = wordsOf(text);
    const methods = [method, against].filter((name) => name !== undefined);
    const disagreeing = against === undefined ? null : disagreeingOn(all, method, against);
    const selected = all.filter(
      ({ row, question, answer }) =>
        (methods.length === 0 || methods.includes(row.method)) &&
        (benchmark === undefined || row.benchmark === benchmark) &&
        (verdict === undefined || row.verdict === verdict) &&
        (disagreeing === null || disagreeing.has(repeatOf({ row }))) &&
        words.every((word) => answer.includes(word) || question.text.toLowerCase().includes(word)),
    );
    if (sort === "newest") return selected.toReversed();
    if (sort === "tokens") return mostFirst(selected, ({ row }) => row.tokens);
    if (sort === "cost") return mostFirst(selected, ({ row }) => row.usd);
    if (sort === "time") return mostFirst(selected, ({ row }) => row.seconds);
    return selected.toSorted(byQuestion);
  }

  /** Methods on benchmarks, in the order of their first samples. */
  table(): BenchRow[] {
    const groups = groupsOf(this.#samples.values(), ({ row }) => JSON.stringify([row.benchmark, row.method]));
    return Array.from(groups.values(), (samples) => {
      const questions = groupsOf(samples, ({ question }) => question);
      const clusters = Array.from(questions.values(), (own): Cluster => {
        const scored = own.filter(isScored);
        return { successes: scored.filter(({ row }) => row.verdict === "right").length, trials: scored.length };
      });
      const scored = samples.filter(isScored);
      const right = scored.filter(({ row }) => row.verdict === "right").length;
      const { method, benchmark } = (samples[0] as Sample).row;
      const tokens = scored.reduce((sum, { row }) => sum + row.tokens, 0);
      return {
        method,
        benchmark,
        questions: questions.size,
        seeds: new Set(samples.map(({ row }) => row.repeat)).size,
        accuracy: scored.length === 0 ? Number.NaN : right / scored.length,
        interval: clusteredWilsonInterval(clusters),
        tokens: scored.length === 0 ? Number.NaN : tokens / scored.length,
      };
    });
  }
}

function groupsOf<T, K>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** A sample in a list. */
export function shownSample({ row, question }: Sample): SampleRow {
  return { ...row, question: clipped(question.text), gold: clipped(question.gold) };
}

function verdictOf(status: unknown, correct: unknown): SampleVerdict {
  if (status === "scored") return correct === true ? "right" : "wrong";
  return status === "undecided" ? "undecided" : "failed";
}

function isScored({ row }: Sample): boolean {
  return row.verdict === "right" || row.verdict === "wrong";
}

/** What two methods are compared on: one repeat of a question. */
function repeatOf({ row }: Pick<Sample, "row">): string {
  return JSON.stringify([row.benchmark, row.problem, row.repeat]);
}

/** Where one of two methods is right and the other is wrong. Without the first, where any other differs from the second. */
function disagreeingOn(samples: readonly Sample[], method: string | undefined, against: string): ReadonlySet<string> {
  const verdicts = new Map<string, { first: Set<SampleVerdict>; second: Set<SampleVerdict> }>();
  for (const sample of samples) {
    const { row } = sample;
    if (!isScored(sample) || (row.method !== against && method !== undefined && row.method !== method)) continue;
    const pair = verdicts.get(repeatOf(sample)) ?? { first: new Set(), second: new Set() };
    verdicts.set(repeatOf(sample), pair);
    (row.method === against ? pair.second : pair.first).add(row.verdict);
  }
  const differ = [...verdicts].filter(
    ([, { first, second }]) =>
      (first.has("right") && second.has("wrong")) || (first.has("wrong") && second.has("right")),
  );
  return new Set(differ.map(([key]) => key));
}

/** Samples to be compared stand together. */
function byQuestion(a: Sample, b: Sample): number {
  return a.order[0] - b.order[0] || a.row.repeat - b.row.repeat || a.order[1] - b.order[1];
}
