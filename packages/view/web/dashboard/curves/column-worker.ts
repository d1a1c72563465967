/// <reference lib="webworker" />
import { decodeColumns } from "../../../src/columns-block.ts";
import { ColumnDrawer, type ToDrawer } from "./column-drawer.ts";

/** To the worker: first where to ask, then what is to be drawn. */
export type ToWorker = { readonly type: "open"; readonly api: string } | ToDrawer;

const page = globalThis as unknown as DedicatedWorkerGlobalScope;
let api = "";

const drawer = new ColumnDrawer(
  async (run, names, from) => {
    const query = new URLSearchParams({ names: names.join(","), from: String(from) });
    const response = await fetch(`${api}/runs/${encodeURIComponent(run)}/columns?${query.toString()}`);
    if (!response.ok) throw new Error(`The server answered ${response.status}`);
    return decodeColumns(await response.arrayBuffer());
  },
  (message, buffers) => page.postMessage(message, buffers),
);

page.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "open") api = data.api;
  else drawer.hear(data);
});
