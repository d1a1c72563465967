import type { Fetch } from "../src/post-json.ts";
import type { SinkReading } from "@laconic/trainer/testing";

interface LogEntry {
  readonly project: string;
  readonly run: string;
  readonly run_id: string;
  readonly step: number;
  readonly log_id: string;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly config: unknown;
}

/** What a trackio server answers to what the sink asks: a row with an identity is kept once. */
export function fakeTrackio(writeToken = "let-me-write"): {
  readonly fetch: Fetch;
  readonly rows: Map<string, LogEntry>;
  readonly faults: (() => Promise<Response> | Response)[];
  reading(): SinkReading;
} {
  const rows = new Map<string, LogEntry>();
  const faults: (() => Promise<Response> | Response)[] = [];
  return {
    rows,
    faults,
    async fetch(url, init) {
      const fault = faults.shift();
      if (fault) return fault();
      if (new URL(url).pathname !== "/api/bulk_log" || init.method !== "POST")
        return Response.json({ error: "Unknown API" }, { status: 404 });
      if (new Headers(init.headers).get("x-trackio-write-token") !== writeToken)
        return Response.json({ error: "A write_token is required" }, { status: 400 });
      const { logs } = JSON.parse(init.body as string) as { readonly logs: readonly LogEntry[] };
      for (const entry of logs) if (!rows.has(entry.log_id)) rows.set(entry.log_id, entry);
      return Response.json({ data: null });
    },
    reading() {
      const read: Record<string, Record<number, number>> = {};
      for (const { step, metrics } of rows.values())
        for (const [name, value] of Object.entries(metrics))
          if (typeof value === "number") (read[name] ??= {})[step] = value;
      return read;
    },
  };
}
