import type { UnknownRecord } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { unpackedBytes } from "@laconic/core/platform";
import { benchFiles, type GradingStep, type StoredCall, type StoredQuestion } from "@laconic/core/run-folder";
import { RowFile, rowOf, type RowPlace } from "@laconic/trainer/reading";
import type { BenchTable, SampleDetail, SamplePage, SampleQuery } from "../protocol.ts";
import type { RunPlace } from "./run-place.ts";
import { SampleList, shownSample, type Sample } from "./samples.ts";

/** Bytes of a sample's calls that are read, packed and inflated. */
const maxCallBytes = { packed: 32 << 20, plain: 64 << 20 } as const;

const maxOthers = 200;

/** A bench: its table and its samples, read as they are written. */
export class BenchReader {
  readonly id: string;
  readonly name: string;
  readonly #place: RunPlace;
  #samples: RowFile;
  #questions: RowFile;
  #list = new SampleList();
  /** Samples of the last query, because a list is asked for page by page. */
  #selected: { readonly key: string; readonly samples: readonly Sample[] } | null = null;

  constructor(id: string, name: string, place: RunPlace) {
    [this.id, this.name, this.#place] = [id, name, place];
    this.#samples = new RowFile(place, benchFiles.samples);
    this.#questions = new RowFile(place, benchFiles.questions);
  }

  /** @returns whether there was anything new */
  async readNew(): Promise<boolean> {
    let isReplaced = false;
    const reset = (): void => void (isReplaced = true);
    const hasQuestions = await this.#questions.readNew({
      reset,
      row: (bytes, place) => this.#addQuestion(rowOf(bytes), place),
    });
    const hasSamples = await this.#samples.readNew({
      reset,
      row: (bytes, place) => this.#list.add(rowOf(bytes), place),
    });
    if (hasQuestions || hasSamples) this.#selected = null;
    if (!isReplaced) return hasQuestions || hasSamples;
    // One file is another one, so both are read from their beginning.
    this.#list = new SampleList();
    this.#samples = new RowFile(this.#place, benchFiles.samples);
    this.#questions = new RowFile(this.#place, benchFiles.questions);
    await this.readNew();
    return true;
  }

  #addQuestion(row: UnknownRecord | null, place: RowPlace): void {
    const { benchmark, id, question, gold } = row ?? {};
    if (typeof benchmark !== "string" || typeof id !== "string") return;
    this.#list.ask(benchmark, id, { text: textOf(question), gold: textOf(gold), place });
  }

  table(): BenchTable {
    const { methods, benchmarks, count } = this.#list;
    return { id: this.id, name: this.name, rows: this.#list.table(), samples: count, methods, benchmarks };
  }

  get bytes(): number {
    return this.#list.bytes;
  }

  samples({ offset = 0, limit = 100, ...query }: SampleQuery): SamplePage {
    const key = JSON.stringify(Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    if (this.#selected?.key !== key) this.#selected = { key, samples: this.#list.select(query) };
    const { samples } = this.#selected;
    return {
      total: samples.length,
      indexed: this.#list.count,
      rows: samples.slice(offset, offset + limit).map((sample) => shownSample(sample)),
    };
  }

  async sample(key: string): Promise<SampleDetail | null> {
    const list = this.#list;
    const sample = list.get(key);
    const record = sample ? await this.#rowAt(benchFiles.samples, sample.place) : null;
    if (!sample || !record) return null;
    const { place } = sample.question;
    const question = (place && (await this.#rowAt(benchFiles.questions, place))) as Partial<StoredQuestion> | null;
    const steps = Array.isArray(record["steps"]) ? (record["steps"] as unknown[]) : [];
    return {
      row: shownSample(sample),
      question: textOf(question?.question),
      gold: textOf(record["gold"]),
      grading: question?.grading ?? null,
      tests: question?.tests ?? null,
      answer: textOrNull(record["answer"]),
      extracted: textOrNull(record["extracted"]),
      rule: textOrNull(record["rule"]),
      steps: steps.flatMap((step) => (isStep(step) ? [step] : [])),
      protocol: textOrNull(record["protocol"]),
      stopReason: textOrNull(record["stopReason"]),
      attempt: typeof record["attempt"] === "number" ? record["attempt"] : 1,
      error: textOrNull(record["error"]),
      ...(await this.#calls(record)),
      others: list
        .others(sample)
        .slice(0, maxOthers)
        .map((other) => shownSample(other)),
    };
  }

  /** @param place - of a line that was whole when it was read */
  async #rowAt(file: string, { from, length }: RowPlace): Promise<UnknownRecord | null> {
    const bytes = await this.#place.bytes(file, from, length);
    return bytes && rowOf(bytes);
  }

  async #calls({
    requests,
    benchmark,
    problem,
    method,
    repeat,
    config,
  }: UnknownRecord): Promise<Pick<SampleDetail, "calls" | "callsMissing">> {
    const { from, bytes } = (requests ?? {}) as UnknownRecord;
    if (typeof from !== "number" || typeof bytes !== "number")
      return { calls: [], callsMissing: "The bench did not keep its requests." };
    const missing = { calls: [], callsMissing: `${benchFiles.calls} lacks them, or is damaged.` };
    if (bytes > maxCallBytes.packed) return missing;
    const packed = await this.#place.bytes(benchFiles.calls, from, bytes);
    try {
      const text = new TextDecoder().decode(unpackedBytes(packed ?? new Uint8Array(), maxCallBytes.plain));
      const stored = boundedJson(text) as UnknownRecord;
      if (stored["sample"] !== JSON.stringify([benchmark, problem, method, repeat, config])) return missing;
      const calls = (stored["calls"] as unknown[]).filter((call): call is StoredCall => isCall(call));
      const leftOut = Number(stored["leftOut"] ?? 0);
      return { calls, callsMissing: leftOut > 0 ? `${leftOut} more calls were too long to be kept.` : null };
    } catch {
      return missing;
    }
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

function isStep(value: unknown): value is GradingStep {
  const { name, answer, gold, ended = "" } = (value ?? {}) as UnknownRecord;
  const areTexts = [name, answer, ended].every((each) => typeof each === "string");
  return areTexts && (gold === null || typeof gold === "string");
}

/** What a page reads of a call has the form that it expects. */
function isCall(value: unknown): boolean {
  const { agent, model, prompt, sampling, reply, error } = (value ?? {}) as UnknownRecord;
  const { kind, messages, text, tokens } = (prompt ?? {}) as UnknownRecord;
  const isAsked =
    (kind === "messages" &&
      Array.isArray(messages) &&
      (messages as unknown[]).every((message) => {
        const { role, content } = (message ?? {}) as UnknownRecord;
        return typeof role === "string" && typeof content === "string";
      })) ||
    (kind === "text" && typeof text === "string") ||
    (kind === "tokens" && Array.isArray(tokens));
  const isText = (each: unknown): boolean => each === null || typeof each === "string";
  return (
    isAsked &&
    typeof agent === "string" &&
    typeof model === "string" &&
    typeof sampling === "object" &&
    sampling !== null &&
    isText(reply) &&
    isText(error)
  );
}
