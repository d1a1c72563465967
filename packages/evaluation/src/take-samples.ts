import { setMaxListeners } from "node:events";
import { LaconicError, thrownText } from "@laconic/core";
import type { RecordFile } from "./record-file.ts";
import type { SampleRecord } from "./sample-record.ts";

export interface SampleKind<Job, Kept> {
  keyOf(job: Job): string;
  /** @param before - earlier attempt without a score @param signal - also fires when records cannot be written */
  take(job: Job, attempt: number, before: Kept | undefined, signal: AbortSignal): Promise<Kept>;
  failed(job: Job, attempt: number, error: unknown): Kept | Promise<Kept>;
}

interface TakeLimits {
  readonly concurrency: number;
  /** Max failed samples; null has no limit. */
  readonly maxErrors: number | null;
  readonly signal: AbortSignal | undefined;
}

/** Takes samples, and stores each record before the worker's next sample. */
export class SampleTaker<Job, Kept extends Pick<SampleRecord, "attempt" | "error"> & { readonly status: string }> {
  readonly counts: Record<string, number> = {};
  #failed = 0;
  #stopped: string | null = null;
  /** Fires when records cannot be written, to save running replies. */
  readonly #unkept = new AbortController();
  readonly #signal: AbortSignal;
  readonly #kind: SampleKind<Job, Kept>;
  readonly #file: RecordFile<Kept>;
  readonly #limits: TakeLimits;
  readonly #onRecord: (record: Kept) => void;

  constructor(
    kind: SampleKind<Job, Kept>,
    file: RecordFile<Kept>,
    limits: TakeLimits,
    onRecord: (record: Kept) => void = () => undefined,
  ) {
    this.#kind = kind;
    this.#file = file;
    this.#limits = limits;
    this.#onRecord = onRecord;
    this.#signal = AbortSignal.any([this.#unkept.signal, ...(limits.signal ? [limits.signal] : [])]);
    setMaxListeners(0, this.#signal); // every running call adds a listener
  }

  get stopped(): string | null {
    return this.#stopped ?? (this.#limits.signal?.aborted ? "aborted" : null);
  }

  /** @throws the error of writing a record, after all running samples */
  async take(jobs: readonly Job[]): Promise<void> {
    const queue = jobs.values();
    const workers = Math.min(this.#limits.concurrency, jobs.length);
    const ended = await Promise.allSettled(Array.from({ length: workers }, () => this.#work(queue)));
    const failed = ended.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
    if (failed) throw failed.reason;
  }

  async #work(queue: Iterable<Job>): Promise<void> {
    for (const job of queue) {
      if (this.stopped !== null) return;
      try {
        await this.#takeOne(job);
      } catch (error) {
        this.#stop(error);
        throw error;
      }
    }
  }

  async #takeOne(job: Job): Promise<void> {
    const before = this.#file.records.get(this.#kind.keyOf(job));
    const attempt = (before?.attempt ?? 0) + 1;
    const record = await this.#kind.take(job, attempt, before, this.#signal).catch((error: unknown) => {
      if (!endsBench(error)) return this.#kind.failed(job, attempt, error);
      this.#stop(error);
      return null;
    });
    if (record === null) return;
    this.counts[record.status] = (this.counts[record.status] ?? 0) + 1;
    await this.#file.append(record);
    this.#onRecord(record);
    const { maxErrors, signal } = this.#limits;
    if (record.error === null) return;
    this.#failed++;
    if (maxErrors !== null && !signal?.aborted && this.#failed > maxErrors)
      this.#stopped ??= `${this.#failed} samples have no score; the last one: ${record.error}`;
  }

  #stop(error: unknown): void {
    const code = LaconicError.is(error) ? error.code : null;
    this.#stopped ??= code === "aborted" ? code : messageOf(error);
    if (code === null || code === "run_unwritable") this.#unkept.abort(error);
  }
}

function endsBench(error: unknown): boolean {
  if (!LaconicError.is(error)) return false;
  if (error.code === "api_refused") return ![400, 413, 422].includes(Number(error.detail["status"]));
  return ["aborted", "budget_refused", "config_invalid", "data_invalid", "run_unwritable"].includes(error.code);
}

export function messageOf(error: unknown): string {
  return thrownText(error).slice(0, 500);
}
