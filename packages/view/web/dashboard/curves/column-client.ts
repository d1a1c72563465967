import { storeOf, type Store } from "../../parts/store.ts";
import type { FromDrawer, ToDrawer } from "./column-drawer.ts";
import type { ChartSpec, Drawing } from "./drawing.ts";

/** A chart's points, and how many columns are still to come. */
export interface Drawn {
  readonly spec: ChartSpec;
  readonly drawing: Drawing;
  readonly missing: number;
}

/** Opens what draws: it takes messages, and `hear` takes its answers. */
export type OpenDrawer = (hear: (message: FromDrawer) => void) => (message: ToDrawer) => void;

/** Runs whose columns could not be read, and why. */
export const columnFaults: Store<ReadonlyMap<string, string>> = storeOf<ReadonlyMap<string, string>>(new Map());

const listeners = new Map<string, (drawn: Drawn) => void>();
let open: OpenDrawer | null = null;
let tell: ((message: ToDrawer) => void) | null = null;

/** Says what draws; it is opened with the first chart. */
export function drawWith(opens: OpenDrawer): void {
  open = opens;
}

/** Asks for a chart's points, again with every call; they come to the listener of `openChart`. */
export function askFor(chart: string, spec: ChartSpec): void {
  send({ type: "chart", chart, spec });
}

/** Hears of a chart's points until the returned function is called. */
export function openChart(chart: string, listener: (drawn: Drawn) => void): () => void {
  listeners.set(chart, listener);
  return () => {
    listeners.delete(chart);
    send({ type: "close", chart });
  };
}

function send(message: ToDrawer): void {
  tell ??= open?.(hear) ?? null;
  tell?.(message);
}

function hear(message: FromDrawer): void {
  if (message.type === "failed") columnFaults.set(new Map(columnFaults.get()).set(message.run, message.message));
  else listeners.get(message.chart)?.(message);
}
