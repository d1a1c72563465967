import { storeOf, type Store } from "../../parts/store.ts";
import { onGrown } from "../live.ts";
import { api } from "../server.ts";
import type { FromWorker, ToWorker } from "./column-worker.ts";
import type { ChartSpec, Drawing } from "./drawing.ts";

/** A chart's points, and how many columns are still to come. */
export interface Drawn {
  readonly spec: ChartSpec;
  readonly drawing: Drawing;
  readonly missing: number;
}

/** Runs whose columns could not be read, and why. */
export const columnFaults: Store<ReadonlyMap<string, string>> = storeOf<ReadonlyMap<string, string>>(new Map());

const listeners = new Map<string, (drawn: Drawn) => void>();
const steps = new Map<string, number>();
let worker: Worker | null = null;

/** Asks for a chart's points, again with every call; they come to the listener of `openChart`. */
export function askFor(chart: string, spec: ChartSpec): void {
  tell({ type: "chart", chart, spec });
}

/** Hears of a chart's points until the returned function is called. */
export function openChart(chart: string, listener: (drawn: Drawn) => void): () => void {
  listeners.set(chart, listener);
  return () => {
    listeners.delete(chart);
    tell({ type: "close", chart });
  };
}

function tell(message: ToWorker): void {
  (worker ??= start()).postMessage(message);
}

function start(): Worker {
  const started = new Worker(new URL("./column-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
    if (data.type === "failed") columnFaults.set(new Map(columnFaults.get()).set(data.run, data.message));
    else listeners.get(data.chart)?.(data);
  });
  started.postMessage({ type: "open", api } satisfies ToWorker);
  onGrown(({ id, step }) => {
    // A resumed run has fewer rows than before: what is held of it is of no use.
    const type = step < (steps.get(id) ?? 0) ? "restarted" : "grown";
    steps.set(id, step);
    started.postMessage({ type, run: id } satisfies ToWorker);
  });
  return started;
}
