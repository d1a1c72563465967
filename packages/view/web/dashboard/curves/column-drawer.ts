import { thrownText } from "@laconic/core";
import type { ColumnsBlock } from "../../../src/columns-block.ts";
import { isEvaluationMetric } from "./evaluation-columns.ts";
import { columnStore } from "./column-store.ts";
import { draw, type ChartSpec, type Drawing } from "./drawing.ts";

/** To who draws: what the charts want, which runs grew or began anew. */
export type ToDrawer =
  | { readonly type: "chart"; readonly chart: string; readonly spec: ChartSpec }
  | { readonly type: "close"; readonly chart: string }
  | { readonly type: "grown"; readonly run: string }
  | { readonly type: "restarted"; readonly run: string };

export type FromDrawer =
  | {
      readonly type: "drawn";
      readonly chart: string;
      readonly spec: ChartSpec;
      readonly drawing: Drawing;
      /** Columns that are still to come. */
      readonly missing: number;
    }
  | { readonly type: "failed"; readonly run: string; readonly message: string };

/** Reads columns of a run from a row on. @throws Error that says why they cannot be read */
export type LoadColumns = (run: string, names: readonly string[], from: number) => Promise<ColumnsBlock>;

/** Hears of points that are drawn; the buffers are needed here no more. */
export type PostDrawn = (message: FromDrawer, buffers: Transferable[]) => void;

/** Runs whose columns are asked for at a time. */
const atOnce = 3;

const keyOf = (source: string, metric: string): string => `${source}\n${metric}`;

/** Columns of one source have the same steps: rows of the run's metrics, or its evaluations. */
function sourceOf(run: string, metric: string): string {
  return isEvaluationMetric(metric) ? `${run}\nevaluations` : run;
}

function runOf(source: string): string {
  return source.split("\n", 1)[0] as string;
}

/** Holds columns of runs and computes the points of charts: in a worker, or in a page that has no server. */
export class ColumnDrawer {
  readonly #load: LoadColumns;
  readonly #post: PostDrawn;
  readonly #store = columnStore(64_000_000);
  readonly #charts = new Map<string, ChartSpec>();
  /** Columns with all rows that the server had, until the run grows; and those that it failed on. */
  readonly #complete = new Set<string>();
  readonly #stale = new Set<string>();
  readonly #pending = new Map<string, Set<string>>();
  readonly #loading = new Map<string, readonly string[]>();

  constructor(load: LoadColumns, post: PostDrawn) {
    [this.#load, this.#post] = [load, post];
  }

  hear(message: ToDrawer): void {
    if (message.type === "chart") {
      this.#charts.set(message.chart, message.spec);
      this.#want(message.spec, false);
      this.#redraw(message.chart, true);
    } else if (message.type === "close") this.#charts.delete(message.chart);
    else {
      if (message.type === "restarted")
        for (const source of [message.run, `${message.run}\nevaluations`]) this.#store.drop(source);
      for (const key of this.#complete) if (key.startsWith(`${message.run}\n`)) this.#complete.delete(key);
      for (const spec of this.#charts.values()) this.#want(spec, true);
    }
  }

  #want(spec: ChartSpec, isGrown: boolean): void {
    for (const { runs } of spec.groups)
      for (const run of runs) {
        const source = sourceOf(run, spec.metric);
        if (this.#complete.has(keyOf(source, spec.metric)) && this.#store.column(source, spec.metric) !== null)
          continue;
        if (!isGrown && this.#loading.get(source)?.includes(spec.metric) === true) continue;
        const names = this.#pending.get(source) ?? new Set<string>();
        names.add(spec.metric);
        this.#pending.set(source, names);
      }
    // After all charts of this moment have said what they want: one request a run.
    setTimeout(() => this.#ask(), 0);
  }

  #ask(): void {
    for (const [source, names] of this.#pending) {
      if (this.#loading.size >= atOnce) return;
      if (this.#loading.has(source)) continue;
      const from = Math.min(...[...names].map((name) => this.#store.rowsOf(source, name)));
      const together = [...names].filter((name) => this.#store.rowsOf(source, name) === from);
      for (const name of together) names.delete(name);
      if (names.size === 0) this.#pending.delete(source);
      this.#loading.set(source, together);
      void this.#read(source, together, from).finally(() => {
        this.#loading.delete(source);
        this.#ask();
      });
    }
  }

  async #read(source: string, names: readonly string[], from: number): Promise<void> {
    try {
      const block = await this.#load(runOf(source), names, from);
      if (!this.#store.isAlike(source, block)) {
        // The run has grown so long that the server keeps fewer of its rows.
        this.#store.drop(source);
        for (const spec of this.#charts.values()) this.#want(spec, true);
        return;
      }
      for (const name of names) {
        if (this.#store.rowsOf(source, name) === block.from && block.columns.has(name))
          this.#store.append(source, name, block);
        this.#complete.add(keyOf(source, name));
      }
    } catch (error) {
      for (const name of names) this.#complete.add(keyOf(source, name));
      this.#post({ type: "failed", run: runOf(source), message: thrownText(error) }, []);
    }
    for (const [chart, spec] of this.#charts) if (names.includes(spec.metric)) this.#redraw(chart, false);
  }

  /** At once where somebody waits for it, else after what comes in the next tenth of a second. */
  #redraw(chart: string, now: boolean): void {
    if (this.#stale.has(chart)) return;
    this.#stale.add(chart);
    setTimeout(
      () => {
        this.#stale.delete(chart);
        const spec = this.#charts.get(chart);
        if (spec === undefined) return;
        const drawing = draw(spec, (run, metric) => this.#store.column(sourceOf(run, metric), metric));
        const missing = spec.groups.reduce(
          (sum, { runs }) =>
            sum + runs.filter((run) => !this.#complete.has(keyOf(sourceOf(run, spec.metric), spec.metric))).length,
          0,
        );
        const buffers = drawing.series.flatMap(({ mean, low, high }) => [mean, low, high]);
        this.#post(
          { type: "drawn", chart, spec, drawing, missing },
          [drawing.steps, ...buffers].flatMap((each) => (each === null ? [] : [each.buffer as ArrayBuffer])),
        );
      },
      now ? 0 : 100,
    );
  }
}
