/// <reference lib="webworker" />
import { columnStore, decodeColumns } from "./column-store.ts";
import { draw, type ChartSpec, type Drawing } from "./drawing.ts";

/** To the worker: where to ask, what the charts want, which runs grew or began anew. */
export type ToWorker =
  | { readonly type: "open"; readonly api: string }
  | { readonly type: "chart"; readonly chart: string; readonly spec: ChartSpec }
  | { readonly type: "close"; readonly chart: string }
  | { readonly type: "grown"; readonly run: string }
  | { readonly type: "restarted"; readonly run: string };

export type FromWorker =
  | {
      readonly type: "drawn";
      readonly chart: string;
      readonly spec: ChartSpec;
      readonly drawing: Drawing;
      /** Columns that are still to come. */
      readonly missing: number;
    }
  | { readonly type: "failed"; readonly run: string; readonly message: string };

const page = globalThis as unknown as DedicatedWorkerGlobalScope;
const store = columnStore(64_000_000);
const charts = new Map<string, ChartSpec>();
/** Columns with all rows that the server had, until the run grows; and those that it failed on. */
const complete = new Set<string>();
const stale = new Set<string>();
const pending = new Map<string, Set<string>>();
const loading = new Map<string, readonly string[]>();
let api = "";
const atOnce = 3;

page.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "open") api = data.api;
  else if (data.type === "chart") {
    charts.set(data.chart, data.spec);
    want(data.spec, false);
    redraw(data.chart, true);
  } else if (data.type === "close") charts.delete(data.chart);
  else {
    if (data.type === "restarted") store.drop(data.run);
    for (const key of complete) if (key.startsWith(`${data.run}\n`)) complete.delete(key);
    for (const spec of charts.values()) want(spec, true);
  }
});

const keyOf = (run: string, metric: string): string => `${run}\n${metric}`;

function want(spec: ChartSpec, isGrown: boolean): void {
  for (const { runs } of spec.groups)
    for (const run of runs) {
      if (complete.has(keyOf(run, spec.metric)) && store.column(run, spec.metric) !== null) continue;
      if (!isGrown && loading.get(run)?.includes(spec.metric) === true) continue;
      const names = pending.get(run) ?? new Set<string>();
      names.add(spec.metric);
      pending.set(run, names);
    }
  // After all charts of this moment have said what they want: one request a run.
  setTimeout(ask, 0);
}

function ask(): void {
  for (const [run, names] of pending) {
    if (loading.size >= atOnce) return;
    if (loading.has(run)) continue;
    const from = Math.min(...[...names].map((name) => store.rowsOf(run, name)));
    const together = [...names].filter((name) => store.rowsOf(run, name) === from);
    for (const name of together) names.delete(name);
    if (names.size === 0) pending.delete(run);
    loading.set(run, together);
    void load(run, together, from).finally(() => {
      loading.delete(run);
      ask();
    });
  }
}

async function load(run: string, names: readonly string[], from: number): Promise<void> {
  try {
    const query = new URLSearchParams({ names: names.join(","), from: String(from) });
    const response = await fetch(`${api}/runs/${encodeURIComponent(run)}/columns?${query.toString()}`);
    if (!response.ok) throw new Error(`The server answered ${response.status}`);
    const block = decodeColumns(await response.arrayBuffer());
    if (!store.isAlike(run, block)) {
      // The run has grown so long that the server keeps fewer of its rows.
      store.drop(run);
      for (const spec of charts.values()) want(spec, true);
      return;
    }
    for (const name of names) {
      if (store.rowsOf(run, name) === block.from && block.columns.has(name)) store.append(run, name, block);
      complete.add(keyOf(run, name));
    }
  } catch (error) {
    for (const name of names) complete.add(keyOf(run, name));
    post({ type: "failed", run, message: error instanceof Error ? error.message : String(error) });
  }
  for (const [chart, spec] of charts) if (names.includes(spec.metric)) redraw(chart, false);
}

/** At once where somebody waits for it, else after what comes in the next tenth of a second. */
function redraw(chart: string, now: boolean): void {
  if (stale.has(chart)) return;
  stale.add(chart);
  setTimeout(
    () => {
      stale.delete(chart);
      const spec = charts.get(chart);
      if (spec === undefined) return;
      const drawing = draw(spec, store.column);
      const missing = spec.groups.reduce(
        (sum, { runs }) => sum + runs.filter((run) => !complete.has(keyOf(run, spec.metric))).length,
        0,
      );
      const buffers = drawing.series.flatMap(({ mean, low, high }) => [mean, low, high]);
      post(
        { type: "drawn", chart, spec, drawing, missing },
        [drawing.steps, ...buffers].flatMap((each) => (each === null ? [] : [each.buffer as ArrayBuffer])),
      );
    },
    now ? 0 : 100,
  );
}

function post(message: FromWorker, transfer: Transferable[] = []): void {
  page.postMessage(message, transfer);
}
