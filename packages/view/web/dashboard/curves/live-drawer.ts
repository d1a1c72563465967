import { onGrown } from "../live.ts";
import { api } from "../server.ts";
import type { OpenDrawer } from "./column-client.ts";
import type { FromDrawer } from "./column-drawer.ts";
import type { ToWorker } from "./column-worker.ts";

/** Draws in a worker, which asks the server, and again whenever a run has grown. */
export const liveDrawer: OpenDrawer = (hear) => {
  const steps = new Map<string, number>();
  const worker = new Worker(new URL("./column-worker.ts", import.meta.url), { type: "module" });
  const tell = (message: ToWorker): void => worker.postMessage(message);
  worker.addEventListener("message", ({ data }: MessageEvent<FromDrawer>) => hear(data));
  tell({ type: "open", api });
  onGrown(({ id, step }) => {
    // A resumed run has fewer rows than before: what is held of it is of no use.
    const type = step < (steps.get(id) ?? 0) ? "restarted" : "grown";
    steps.set(id, step);
    tell({ type, run: id });
  });
  return tell;
};
