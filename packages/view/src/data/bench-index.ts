import { isRecord, type UnknownRecord } from "@laconic/core";
import { sha256 } from "@laconic/core/files";
import { boundedJson } from "@laconic/core/json";
import { grouped, clusteredWilsonInterval } from "@laconic/core/numeric";
import { unpackedBytes } from "@laconic/core/platform";
import { benchFiles, type GradingStep, type StoredCall } from "@laconic/core/run-folder";
import { RowFile, rowOf, type RowRange } from "@laconic/trainer/reading";
import type {
  BenchRow,
  BenchTable,
  SampleDetail,
  SamplePage,
  SampleQuery,
  SampleRow,
  SampleVerdict,
} from "../protocol.ts";
import type { RunPlace } from "../runs/run-place.ts";
import { pageOf, selectSamples, type ListedSample } from "./select.ts";
import { clipped } from "./texts.ts";

/** A question; its samples may come before it. */
interface Question {
  readonly number: number;
  text: string;
  gold: string;
  range: RowRange | null;
}

/** Requests stay on disk. */
interface Sample extends ListedSample {
  readonly question: Question;
  readonly method: number;
  readonly range: RowRange;
}

const maxOthers = 200;

export class BenchIndex {
  readonly id: string;
  readonly name: string;
  readonly #location: RunPlace;
  readonly #samplesFile: RowFile;
  readonly #questionsFile: RowFile;
  readonly #questions = new Map<string, Question>();
  readonly #samples = new Map<string, Sample>();
  readonly #methods = new Map<string, number>();

  constructor(id: string, name: string, runPlace: RunPlace) {
    [this.id, this.name, this.#location] = [id, name, runPlace];
    this.#samplesFile = new RowFile(runPlace, benchFiles.samples);
    this.#questionsFile = new RowFile(runPlace, benchFiles.questions);
  }

  async refresh(): Promise<boolean> {
    const hasQuestions = await this.#questionsFile.readNew({
      reset: () => {
        for (const question of this.#questions.values()) Object.assign(question, { text: "", gold: "", range: null });
      },
      row: (bytes, rowPlace) => this.#addQuestion(rowOf(bytes) ?? {}, rowPlace),
    });
    const hasSamples = await this.#samplesFile.readNew({
      reset: () => {
        this.#samples.clear();
        this.#methods.clear();
      },
      row: (bytes, rowPlace) => this.#addSample(rowOf(bytes) ?? {}, rowPlace),
    });
    return hasQuestions || hasSamples;
  }

  #question(benchmark: string, id: string): Question {
    const key = JSON.stringify([benchmark, id]);
    const question = this.#questions.get(key) ?? { number: this.#questions.size, text: "", gold: "", range: null };
    this.#questions.set(key, question);
    return question;
  }

  #addQuestion({ benchmark, id, question, gold }: UnknownRecord, rowPlace: RowRange): void {
    if (typeof benchmark !== "string" || typeof id !== "string") return;
    Object.assign(this.#question(benchmark, id), {
      text: textOf(question) ?? "",
      gold: textOf(gold) ?? "",
      range: rowPlace,
    });
  }

  /** Skips invalid rows; the last record of a sample counts. */
  #addSample(record: UnknownRecord, rowPlace: RowRange): void {
    const { benchmark, method: plain, problem, repeat, setting, status, correct, config } = record;
    if (typeof benchmark !== "string" || typeof plain !== "string" || typeof problem !== "string") return;
    const numberOf = (name: string): number | null => {
      const value = record[name];
      return typeof value === "number" ? value : null;
    };
    const count = (name: string): number => Math.max(0, numberOf(name) ?? 0);
    const method = setting === "dealt" ? `${plain} (dealt)` : plain;
    const order = this.#methods.get(method) ?? this.#methods.size;
    this.#methods.set(method, order);
    const identity = JSON.stringify([benchmark, problem, plain, repeat, config]);
    const key = sha256(identity).slice(0, 12);
    this.#samples.delete(key);
    this.#samples.set(key, {
      row: {
        key,
        benchmark,
        problem,
        extracted: typeof record["extracted"] === "string" ? clipped(record["extracted"]) : null,
        method,
        repeat: count("repeat"),
        verdict: verdictOf(status, correct),
        score: numberOf("score"),
        tokens: count("promptTokens") + count("completionTokens"),
        calls: count("calls"),
        usd: numberOf("usd"),
        seconds: count("seconds"),
      },
      question: this.#question(benchmark, problem),
      range: rowPlace,
      method: order,
      answer: textOf(record["answer"])?.toLowerCase() ?? "",
    });
  }

  table(): BenchTable {
    const samples = [...this.#samples.values()];
    return {
      id: this.id,
      name: this.name,
      rows: grouped(samples, ({ row }) => [row.benchmark, row.method]).map(benchRow),
      samples: samples.length,
      methods: [...this.#methods.keys()],
      benchmarks: [...new Set(samples.map(({ row }) => row.benchmark))],
    };
  }

  get bytes(): number {
    return [...this.#samples.values()].reduce((sum, { answer }) => sum + 500 + answer.length, 0);
  }

  page(query: SampleQuery): SamplePage {
    const samples = selectSamples([...this.#samples.values()], query, byQuestion);
    return pageOf(samples, { limit: 100, ...query }, shownSample);
  }

  async sample(key: string): Promise<SampleDetail | null> {
    const sample = this.#samples.get(key);
    const record = sample ? await this.#rowAt(benchFiles.samples, sample.range) : null;
    if (!sample || !record) return null;
    const { range } = sample.question;
    const question = (range && (await this.#rowAt(benchFiles.questions, range))) ?? {};
    const others = [...this.#samples.values()].filter(
      (other) => other !== sample && other.question === sample.question,
    );
    return {
      row: shownSample(sample),
      question: textOf(question["question"]) ?? "",
      gold: textOf(record["gold"]) ?? "",
      grading: textOf(question["grading"]),
      tests: textOf(question["tests"]),
      answer: textOf(record["answer"]),
      extracted: textOf(record["extracted"]),
      rule: textOf(record["rule"]),
      steps: recordsIn<GradingStep>(record["steps"], isGradingStep),
      protocol: textOf(record["protocol"]),
      stopReason: textOf(record["stopReason"]),
      attempt: typeof record["attempt"] === "number" ? record["attempt"] : 1,
      error: textOf(record["error"]),
      ...(await this.#calls(record)),
      others: others.toSorted(byQuestion).slice(0, maxOthers).map(shownSample),
    };
  }

  async #rowAt(file: string, { from, length }: RowRange): Promise<UnknownRecord | null> {
    const bytes = await this.#location.bytes(file, from, length);
    return bytes && rowOf(bytes);
  }

  async #calls(record: UnknownRecord): Promise<Pick<SampleDetail, "calls" | "callsMissing">> {
    const { benchmark, problem, method, repeat, config, requests } = record;
    const { from, bytes } = isRecord(requests) ? requests : {};
    if (typeof from !== "number" || typeof bytes !== "number")
      return { calls: [], callsMissing: "The bench stores no requests." };
    const missing = { calls: [], callsMissing: `${benchFiles.calls}: missing or damaged.` };
    if (bytes > maxCallBytes.packed) return missing;
    const packed = await this.#location.bytes(benchFiles.calls, from, bytes);
    try {
      const text = new TextDecoder().decode(unpackedBytes(packed ?? new Uint8Array(), maxCallBytes.plain));
      const stored = boundedJson(text) as UnknownRecord;
      if (stored["sample"] !== JSON.stringify([benchmark, problem, method, repeat, config])) return missing;
      const leftOut = Number(stored["leftOut"] ?? 0);
      return {
        calls: recordsIn<StoredCall>(stored["calls"], isCall),
        callsMissing: leftOut > 0 ? `${leftOut} more calls were too long to store.` : null,
      };
    } catch {
      return missing;
    }
  }
}

const maxCallBytes = { packed: 32 << 20, plain: 64 << 20 } as const;

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function verdictOf(status: unknown, correct: unknown): SampleVerdict {
  if (status === "scored") return correct === true ? "right" : "wrong";
  return status === "undecided" ? "undecided" : "failed";
}

function isScored({ row }: Sample): boolean {
  return row.verdict === "right" || row.verdict === "wrong";
}

function shownSample({ row, question }: Sample): SampleRow {
  return { ...row, question: clipped(question.text), gold: clipped(question.gold) };
}

function benchRow(samples: readonly [Sample, ...Sample[]]): BenchRow {
  const questions = grouped(samples, ({ question }) => question.number);
  const countsOf = (group: readonly Sample[]): { successes: number; trials: number } => {
    const scored = group.filter(isScored);
    return { successes: scored.filter(({ row }) => row.verdict === "right").length, trials: scored.length };
  };
  const { successes, trials } = countsOf(samples);
  const { method, benchmark } = samples[0].row;
  return {
    method,
    benchmark,
    questions: questions.length,
    seeds: new Set(samples.map(({ row }) => row.repeat)).size,
    accuracy: successes / trials,
    interval: clusteredWilsonInterval(questions.map(countsOf)),
    tokens: samples.filter(isScored).reduce((sum, { row }) => sum + row.tokens, 0) / trials,
    usd: samples.reduce<number | null>(
      (sum, { row }) => (sum === null || row.usd === null ? null : sum + row.usd / samples.length),
      0,
    ),
  };
}

function byQuestion(a: Sample, b: Sample): number {
  return a.question.number - b.question.number || a.row.repeat - b.row.repeat || a.method - b.method;
}

function isGradingStep({ name, answer, gold, ended = "" }: UnknownRecord): boolean {
  return [name, answer, ended].every(isText) && isTextOrNull(gold);
}

function isCall({ agent, model, prompt, sampling, reply, error }: UnknownRecord): boolean {
  const isComplete = [agent, model].every(isText) && isRecord(sampling) && [reply, error].every(isTextOrNull);
  return isComplete && isRecord(prompt) && isPrompt(prompt);
}

function isPrompt({ kind, messages, text, tokens }: UnknownRecord): boolean {
  if (kind === "messages") return Array.isArray(messages) && recordsIn(messages, isMessage).length === messages.length;
  return kind === "text" ? isText(text) : kind === "tokens" && Array.isArray(tokens);
}

function isMessage({ role, content }: UnknownRecord): boolean {
  return isText(role) && isText(content);
}

function recordsIn<T>(list: unknown, isValid: (record: UnknownRecord) => boolean): T[] {
  return Array.isArray(list) ? list.filter((item) => isRecord(item) && isValid(item)) : [];
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}
