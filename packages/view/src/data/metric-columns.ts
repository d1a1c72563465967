import { RowFile, rowOf, runFiles, type RunSource } from "@laconic/trainer/reading";
import type { MetricTable } from "../protocol.ts";

/** Max rows in memory. Longer runs keep every second step, then every fourth, and so on. */
const maxRows = 10_000;

const latin = new TextDecoder("latin1");

export class MetricColumns {
  readonly #metrics: RowFile;
  readonly #timing: RowFile;
  #columns = new Map<string, number[]>();
  #steps: number[] = [];
  /** Row index by step: timing rows follow metric rows. */
  readonly #rowOf = new Map<number, number>();
  defects: string[] = [];
  #every: number;

  constructor(source: RunSource, steps: number = 0) {
    this.#metrics = new RowFile(source, runFiles.metrics);
    this.#timing = new RowFile(source, runFiles.timing);
    this.#every = 2 ** Math.max(0, Math.ceil(Math.log2(steps / maxRows)));
  }

  async readNew(): Promise<void> {
    await this.#metrics.readNew({
      reset: () => {
        [this.#columns, this.#steps, this.defects] = [new Map(), [], []];
        this.#rowOf.clear();
      },
      row: (bytes) => this.#add(this.#metrics, bytes, (step) => this.#newRow(step)),
    });
    await this.#timing.readNew({
      reset: () => {
        for (const name of this.#columns.keys()) if (/^(?:timing_s|perf)\//u.test(name)) this.#columns.delete(name);
      },
      // Metrics create the rows.
      row: (bytes) => this.#add(this.#timing, bytes, (step) => this.#rowOf.get(step)),
    });
    while (this.#steps.length > 2 * maxRows) this.#thin();
  }

  /** Metrics that are not always zero, without the step. */
  names(): string[] {
    return [...this.#columns].filter(([, values]) => values.some((value) => value !== 0)).map(([name]) => name);
  }

  /** @param names - null for all */
  table(names: readonly string[] | null): MetricTable {
    const column = (name: string): (number | null)[] => {
      const values = this.#columns.get(name);
      return this.#steps.map((_, row) => (Number.isFinite(values?.[row]) ? (values?.[row] ?? null) : null));
    };
    const columns = Object.fromEntries((names ?? this.names()).map((name) => [name, column(name)]));
    return { every: this.#every, steps: this.#steps, columns };
  }

  get bytes(): number {
    return 8 * this.#steps.length * (this.#columns.size + 8);
  }

  #thin(): void {
    this.#every *= 2;
    const old = this.#steps;
    const rows = [...old.keys()].filter((row) => this.#isKept(old[row]!));
    for (const [name, values] of this.#columns)
      this.#columns.set(
        name,
        rows.map((row) => values[row] ?? Number.NaN),
      );
    this.#steps = [];
    this.#rowOf.clear();
    for (const row of rows) this.#newRow(old[row]!);
  }

  #isKept(step: number): boolean {
    return (step - 1) % this.#every === 0;
  }

  #newRow(step: number): number {
    this.#rowOf.set(step, this.#steps.length);
    return this.#steps.push(step) - 1;
  }

  #add(file: RowFile, bytes: Uint8Array, rowAt: (step: number) => number | undefined): void {
    // Steps come first, so dropped rows need no parsing.
    const [, start] = this.#every === 1 ? [] : (/^\{"step":(\d+)[,}]/u.exec(latin.decode(bytes.subarray(0, 32))) ?? []);
    if (start !== undefined && !this.#isKept(Number(start))) return;
    const { step, ...values } = rowOf(bytes) ?? {};
    if (typeof step !== "number") {
      this.defects.push(`${file.name}: row ${file.rows} is invalid`);
      return;
    }
    const row = this.#isKept(step) ? rowAt(step) : undefined;
    if (row === undefined) return;
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== "number") continue;
      const column = this.#columns.get(name) ?? [];
      this.#columns.set(name, column);
      while (column.length < row) column.push(Number.NaN);
      if (column.length === row) column.push(value);
    }
  }
}
