import type { UnknownRecord } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { benchFiles, type GradingStep, type StoredCall, type StoredQuestion } from "@laconic/core/run-folder";
import { RowFile, rowOf as objectIn, type RowPlace } from "@laconic/trainer/reading";
import type { BenchTable, SampleDetail, SamplePage, SampleQuery } from "../protocol.ts";
import type { RunPlace } from "./run-place.ts";
import { SampleTable } from "./sample-table.ts";
import type { TextLimits } from "./text-store.ts";
import { unpackedBytes } from "@laconic/core/platform";

/** Bytes of a sample's calls, and of them inflated, that are read. */
const maxCallBytes = { packed: 32 << 20, plain: 64 << 20 } as const;
const maxOthers = 200;
const columns: readonly string[] = ["method", "benchmark", "questions", "seeds", "accuracy", "interval", "tokens"];

/** A bench: its table, and its samples one by one, as they are written. */
export class BenchReader {
  readonly id: string;
  readonly name: string;
  readonly #place: RunPlace;
  readonly #limits: Partial<TextLimits>;
  readonly #samples: RowFile;
  readonly #questions: RowFile;
  #table: SampleTable;
  /** Of the last query, by its words: pages of one list are asked for one after the other. */
  #selected: { readonly key: string; readonly rows: Uint32Array } | null = null;
  #version = 0;

  constructor(id: string, name: string, place: RunPlace, limits: Partial<TextLimits> = {}) {
    [this.id, this.name, this.#place, this.#limits] = [id, name, place, limits];
    this.#samples = new RowFile(place, benchFiles.samples);
    this.#questions = new RowFile(place, benchFiles.questions);
    this.#table = new SampleTable(limits);
  }

  /** @returns whether there was anything new */
  async readNew(): Promise<boolean> {
    let isOther = false;
    const reset = (): void => void (isOther = true);
    const asked = await this.#questions.readNew({
      reset,
      row: (bytes, place) => this.#noteQuestion(objectIn(bytes), place),
    });
    const said = await this.#samples.readNew({
      // Questions were read just now, and stay.
      reset,
      row: (bytes, place) => this.#table.add(objectIn(bytes), place),
    });
    if (isOther) await this.#readAnew();
    if (asked || said) this.#version += 1;
    return asked || said;
  }

  /** A file is another one: what was read of either counts for nothing. */
  async #readAnew(): Promise<void> {
    this.#table.close();
    this.#table = new SampleTable(this.#limits);
    const [questions, samples] = [benchFiles.questions, benchFiles.samples].map(
      (name) => new RowFile(this.#place, name),
    );
    const reset = (): void => undefined;
    await questions?.readNew({ reset, row: (bytes, place) => this.#noteQuestion(objectIn(bytes), place) });
    await samples?.readNew({ reset, row: (bytes, place) => this.#table.add(objectIn(bytes), place) });
  }

  #noteQuestion(row: UnknownRecord | null, place: RowPlace): void {
    const { benchmark, id, question, gold } = row ?? {};
    if (typeof benchmark !== "string" || typeof id !== "string") return;
    this.#table.ask(benchmark, id, { text: textOf(question), gold: textOf(gold), place });
  }

  table(): BenchTable {
    const { methods, benchmarks, count } = this.#table;
    return {
      id: this.id,
      name: this.name,
      columns,
      rows: this.#table.summed(),
      samples: count,
      methods,
      benchmarks,
    };
  }

  get bytes(): number {
    return this.#table.bytes;
  }

  samples(query: SampleQuery): SamplePage {
    const { offset = 0, limit = 100, ...asked } = query;
    const key = JSON.stringify([this.#version, Object.entries(asked).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
    if (this.#selected?.key !== key) this.#selected = { key, rows: this.#table.select(query) };
    const { rows } = this.#selected;
    return {
      total: rows.length,
      indexed: this.#table.count,
      rows: Array.from(rows.subarray(offset, offset + limit), (row) => this.#table.shown(row)),
    };
  }

  async sample(key: string): Promise<SampleDetail | null> {
    const table = this.#table;
    const row = table.rowNamed(key);
    const record = row === undefined ? null : await this.#rowAt(benchFiles.samples, table.placeOf(row));
    if (row === undefined || !record) return null;
    const { place } = table.questionOf(row);
    const question = (place && (await this.#rowAt(benchFiles.questions, place))) as Partial<StoredQuestion> | null;
    const steps = Array.isArray(record["steps"]) ? (record["steps"] as unknown[]) : [];
    return {
      row: table.shown(row),
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
      others: table.others(row, maxOthers).map((other) => table.shown(other)),
    };
  }

  /** @param place - of a line that was whole when it was read */
  async #rowAt(file: string, { from, length }: RowPlace): Promise<UnknownRecord | null> {
    const bytes = await this.#place.bytes(file, from, length);
    return bytes && objectIn(bytes);
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

  close(): void {
    this.#table.close();
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
