import { reals } from "./growing.ts";
import { RowFile, rowOf, type RunSource } from "@laconic/trainer/reading";
import type { ColumnsHeader } from "../protocol.ts";

/** A metric that has had one value so far takes no memory for each step. */
type Column = { readonly constant: number; length: number } | ReturnType<typeof reals>;

/** Rows at most: of a longer run every second step is kept, then every fourth, and so on. */
const maxRows = 20_000;

/** `metrics.jsonl` and `timing.jsonl` of a run by column, read as they grow. */
export class MetricColumns {
  readonly #metrics: RowFile;
  readonly #timing: RowFile;
  readonly #columns = new Map<string, Column>();
  readonly #steps = reals();
  /** Row by step: timing is written behind its metrics. */
  readonly #rowOf = new Map<number, number>();
  /** In words: rows that are none. */
  defects: string[] = [];
  /** Only the rows of the steps 1, 1 + `every`, 1 + 2 `every` ... are kept. */
  #every: number;

  /** @param steps - that the run has by now */
  constructor(place: RunSource, names: { readonly metrics: string; readonly timing: string }, steps: number = 0) {
    this.#metrics = new RowFile(place, names.metrics);
    this.#timing = new RowFile(place, names.timing);
    this.#every = 2 ** Math.max(0, Math.ceil(Math.log2(steps / maxRows)));
  }

  /** Whether all that there is was read. */
  get isWhole(): boolean {
    return this.#metrics.isWhole && this.#timing.isWhole;
  }

  /**
   * @param maxBytes - about how much is read of each file
   * @returns whether there was anything new
   */
  async readNew(maxBytes: number = Infinity): Promise<boolean> {
    const isNew = await this.#metrics.readNew(
      {
        reset: () => {
          this.#columns.clear();
          this.#rowOf.clear();
          this.#steps.length = 0;
          this.defects = [];
        },
        row: (bytes) => this.#add(this.#metrics, bytes, (step) => this.#newRow(step)),
      },
      maxBytes,
    );
    // Of a step whose metrics are still to come there is no row.
    if (!this.#metrics.isWhole) return isNew;
    const isTimed = await this.#timing.readNew(
      {
        reset: () => {
          for (const name of this.#columns.keys()) if (isTime(name)) this.#columns.delete(name);
        },
        row: (bytes) => this.#add(this.#timing, bytes, (step) => this.#rowOf.get(step)),
      },
      maxBytes,
    );
    while (this.rows > 2 * maxRows) this.#thin();
    return isNew || isTimed;
  }

  get rows(): number {
    return this.#steps.length;
  }

  steps(): Float64Array {
    return this.#steps.values();
  }

  /** Rows as `ColumnsHeader` describes them. @param names - all for null */
  body(names: readonly string[] | null, from: number): Uint8Array {
    const rows = Math.max(0, this.rows - from);
    const others = (names ?? this.names()).filter((name) => name !== "step");
    const header: ColumnsHeader = { names: ["step", ...others], from, rows, every: this.#every };
    const text = new TextEncoder().encode(JSON.stringify(header));
    const start = 8 * Math.ceil((4 + text.length) / 8);
    const body = new Uint8Array(start + 8 * rows * header.names.length);
    const view = new DataView(body.buffer);
    view.setUint32(0, text.length, true);
    body.set(text, 4);
    const steps = this.steps();
    header.names.forEach((name, column) => {
      for (let row = 0; row < rows; row++) {
        const value = name === "step" ? (steps[from + row] as number) : this.at(name, from + row);
        view.setFloat64(start + 8 * (column * rows + row), value, true);
      }
    });
    return body;
  }

  /** Every metric but the step that is not constant zero. */
  names(): string[] {
    return [...this.#columns]
      .filter(([, column]) => !("constant" in column && column.constant === 0))
      .map(([name]) => name);
  }

  /** NaN where there is none. */
  at(name: string, row: number): number {
    const column = this.#columns.get(name);
    if (!column) return Number.NaN;
    if (row >= column.length) return Number.NaN;
    return "constant" in column ? column.constant : column.at(row);
  }

  get bytes(): number {
    let sum = this.#steps.bytes + 60 * this.#rowOf.size;
    for (const column of this.#columns.values()) sum += "constant" in column ? 100 : column.bytes;
    return sum;
  }

  /** Leaves every second row out. */
  #thin(): void {
    this.#every *= 2;
    const kept = Array.from(this.steps()).flatMap((step, row) => (this.#isKept(step) ? [row] : []));
    for (const [name, column] of this.#columns) {
      if ("constant" in column) {
        column.length = kept.filter((row) => row < column.length).length;
        continue;
      }
      const thinned = reals();
      for (const row of kept) thinned.push(this.at(name, row));
      this.#columns.set(name, thinned);
    }
    const steps = kept.map((row) => this.#steps.at(row));
    this.#steps.length = 0;
    this.#rowOf.clear();
    for (const step of steps) this.#newRow(step);
  }

  #isKept(step: number): boolean {
    return (step - 1) % this.#every === 0;
  }

  #newRow(step: number): number {
    this.#rowOf.set(step, this.#steps.length);
    this.#steps.push(step);
    return this.#steps.length - 1;
  }

  #add(file: RowFile, bytes: Uint8Array, placeOf: (step: number) => number | undefined): void {
    // A trainer writes the step first, and of a row that is not kept the rest need not be read.
    const [, begun] = this.#every === 1 ? [] : (/^\{"step":(\d+)[,}]/u.exec(latin.decode(bytes.subarray(0, 32))) ?? []);
    if (begun !== undefined && !this.#isKept(Number(begun))) return;
    const values = numbersOf(bytes);
    if (!values) {
      this.defects.push(`${file.name}: row ${file.rows} is none`);
      return;
    }
    const step = values["step"] as number;
    const row = this.#isKept(step) ? placeOf(step) : undefined;
    if (row === undefined) return;
    for (const [name, value] of Object.entries(values)) if (name !== "step") this.#set(name, row, value);
  }

  #set(name: string, row: number, value: number): void {
    let column = this.#columns.get(name);
    if (!column) {
      column = row === 0 ? { constant: value, length: 0 } : reals();
      this.#columns.set(name, column);
    }
    if ("constant" in column) {
      const { constant, length } = column;
      if (Object.is(constant, value) && row === length) {
        column.length++;
        return;
      }
      column = reals();
      for (let i = 0; i < length; i++) column.push(constant);
      this.#columns.set(name, column);
    }
    while (column.length < row) column.push(Number.NaN);
    if (column.length === row) column.push(value);
  }
}

const latin = new TextDecoder("latin1");

function isTime(name: string): boolean {
  return name.startsWith("timing_s/") || name.startsWith("perf/");
}

/** Numbers of a row by name, NaN where it says that one is not finite; null for what is no row of a step. */
function numbersOf(bytes: Uint8Array): Readonly<Record<string, number>> | null {
  const row = rowOf(bytes);
  if (typeof row?.["step"] !== "number") return null;
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      typeof value === "number" ? [[name, value]] : value === null ? [[name, Number.NaN]] : [],
    ),
  );
}
