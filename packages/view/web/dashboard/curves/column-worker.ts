/// <reference lib="webworker" />
import { decodeColumns } from "../../../src/columns-block.ts";
import type { RunDetail } from "../../../src/protocol.ts";
import { evaluationColumns, isEvaluationMetric } from "./evaluation-columns.ts";
import { ColumnDrawer, type ToDrawer } from "./column-drawer.ts";

/** To the worker: first where to ask, then what is to be drawn. */
export type ToWorker = { readonly type: "open"; readonly api: string } | ToDrawer;

const page = globalThis as unknown as DedicatedWorkerGlobalScope;
let api = "";

const drawer = new ColumnDrawer(
  async (run, names, from) => {
    const place = `${api}/runs/${encodeURIComponent(run)}`;
    if (names.every(isEvaluationMetric)) {
      const { evaluations } = (await (await answered(place)).json()) as RunDetail;
      return evaluationColumns(evaluations, from);
    }
    const query = new URLSearchParams({ names: names.join(","), from: String(from) });
    return decodeColumns(await (await answered(`${place}/columns?${query.toString()}`)).arrayBuffer());
  },
  (message, buffers) => page.postMessage(message, buffers),
);

async function answered(address: string): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
  return response;
}

page.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "open") api = data.api;
  else drawer.hear(data);
});
