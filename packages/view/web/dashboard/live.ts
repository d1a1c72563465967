import type { RunSummary, ViewEvent } from "../../src/protocol.ts";
import { storeOf, type Store } from "../parts/store.ts";
import { api, patch, refresh } from "./server.ts";

/** `copy`: exported page. */
type Connection = "connecting" | "live" | "gone" | "copy";

export const connection: Store<Connection> = storeOf<Connection>("connecting");

type RunEvent = Extract<ViewEvent, { type: "run" }>;

const listeners = new Set<(event: RunEvent) => void>();
const grown = new Map<string, RunEvent>();
/** Milliseconds between updates of shown runs, and of the run list. */
const [everyMs, listEveryMs] = [1000, 5000];
const again: Partial<Record<"grown" | "runs", ReturnType<typeof setTimeout>>> = {};

/** Calls the listener at most once a second per run. */
export function onGrown(listener: (event: RunEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function follow(): void {
  const events = new EventSource(`${api}/events`);
  const received = ({ data }: MessageEvent<string>): void => hear(JSON.parse(data) as ViewEvent);
  for (const type of ["message", "run", "runs"]) events.addEventListener(type, received);
  events.addEventListener("open", () => {
    // Events may have been missed.
    if (connection.get() === "gone") refresh(() => true);
    connection.set("live");
  });
  events.addEventListener("error", () => {
    connection.set("gone");
    if (events.readyState !== EventSource.CLOSED) return;
    // Browsers do not reconnect after other statuses than 200.
    events.close();
    setTimeout(follow, 3000);
  });
}

function once(name: keyof typeof again, ms: number, work: () => void): void {
  again[name] ??= setTimeout(() => {
    delete again[name];
    work();
  }, ms);
}

function hear(event: ViewEvent): void {
  if (event.type === "runs") {
    // Runs may have appeared or vanished.
    const isStale = /^\/(?:runs|benches|runs\/[^/]+)$/u;
    return once("runs", everyMs, () => refresh((path, hasFailed) => hasFailed || isStale.test(path)));
  }
  grown.set(event.id, event);
  once("grown", everyMs, tell);
}

function tell(): void {
  const byId = new Map(grown);
  grown.clear();
  patch<readonly RunSummary[]>("/runs", (runs) =>
    runs.map((run) => {
      const event = byId.get(run.id);
      return event === undefined ? run : { ...run, step: event.step, state: event.state };
    }),
  );
  // Remaining time, evaluations and warnings are only in the list.
  once("runs", listEveryMs, () => refresh((path) => path === "/runs"));
  for (const event of byId.values()) {
    const runPath = `/runs/${encodeURIComponent(event.id)}`;
    refresh((path) => path === runPath || path === `${runPath}/speech` || path.startsWith(`${runPath}/columns?`));
    for (const listener of Array.from(listeners)) listener(event);
  }
}
