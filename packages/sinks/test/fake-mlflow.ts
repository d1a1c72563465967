import type { Fetch } from "../src/post-json.ts";
import type { SinkReading } from "@laconic/trainer/testing";

interface Metric {
  readonly key: string;
  readonly value: number;
  readonly step: number;
  readonly timestamp: number;
}

interface StoredRun {
  readonly experiment: string;
  readonly name: string;
  status: string;
  readonly params: Map<string, string>;
  /** A row that is there already is not there twice. */
  readonly metrics: Map<string, Metric>;
  readonly files: Map<string, string>;
}

interface Body extends Readonly<Record<"name" | "experiment_id" | "run_name" | "run_id" | "status", string>> {
  readonly metrics?: readonly Metric[];
  readonly params?: readonly { readonly key: string; readonly value: string }[];
}

/** What MLflow's tracking server answers to what the sink asks, as MLflow 3.11's own does, and with the limits that its documentation of REST 2.0 states. */
export interface FakeMlflow {
  readonly fetch: Fetch;
  readonly runs: Map<string, StoredRun>;
  /** Headers of each call. */
  readonly headers: Record<string, string>[];
  /** Answers to give before any other. */
  readonly faults: (() => Promise<Response> | Response)[];
  reading(): SinkReading;
}

export function fakeMlflow(): FakeMlflow {
  const experiments = new Map<string, string>();
  const runs: FakeMlflow["runs"] = new Map();
  const faults: FakeMlflow["faults"] = [];
  const headers: FakeMlflow["headers"] = [];
  const refuse = (status: number, code: string, message: string): Response =>
    Response.json({ error_code: code, message }, { status });
  const invalid = (message: string): Response => refuse(400, "INVALID_PARAMETER_VALUE", message);
  const badName = (key: string): boolean =>
    key.length > 250 ||
    !/^[\p{L}\p{N}_\-. /:]*$/u.test(key) ||
    key.split("/").some((part) => ["", ".", ".."].includes(part));
  const answer = (method: string, path: string, query: URLSearchParams, body: string): Response => {
    const json = (method === "POST" ? JSON.parse(body) : {}) as Partial<Body> as Body;
    const run = runs.get((json as Partial<Body>).run_id ?? query.get("run_id") ?? "");
    switch (`${method} ${path}`) {
      case "GET experiments/get-by-name": {
        const name = query.get("experiment_name") ?? "";
        const id = experiments.get(name);
        if (id === undefined) return refuse(404, "RESOURCE_DOES_NOT_EXIST", `no experiment ${name}`);
        return Response.json({ experiment: { experiment_id: id, name } });
      }
      case "POST experiments/create": {
        if (experiments.has(json.name)) return refuse(400, "RESOURCE_ALREADY_EXISTS", "it is there");
        experiments.set(json.name, String(experiments.size + 1));
        return Response.json({ experiment_id: String(experiments.size) });
      }
      case "POST runs/create": {
        const id = `run${runs.size + 1}`;
        const made = { experiment: json.experiment_id, name: json.run_name, status: "RUNNING" };
        runs.set(id, { ...made, params: new Map(), metrics: new Map(), files: new Map() });
        return Response.json({ run: { info: { run_id: id, artifact_uri: `mlflow-artifacts:/1/${id}/artifacts` } } });
      }
      case "GET runs/get":
        if (!run) return refuse(404, "RESOURCE_DOES_NOT_EXIST", "no such run");
        return Response.json({
          run: {
            info: { run_id: query.get("run_id"), artifact_uri: `mlflow-artifacts:/1/${query.get("run_id")}/artifacts` },
          },
        });
      case "POST runs/log-batch": {
        if (!run) return refuse(404, "RESOURCE_DOES_NOT_EXIST", "no such run");
        const { metrics = [], params = [] } = json;
        if (metrics.length > 1000 || params.length > 100)
          return invalid("a batch has at most 1000 metrics, 100 params");
        const bad = [...metrics, ...params].find(({ key }) => badName(key));
        if (bad) return invalid(`Invalid name: ${bad.key}`);
        if (metrics.some(({ value, step, timestamp }) => ![value, step, timestamp].every(Number.isFinite)))
          return invalid("a metric is no number");
        if (params.some(({ value }) => value.length > 6000)) return invalid("a param is too long");
        if (new Set(params.map(({ key }) => key)).size < params.length) return invalid("Duplicate parameter keys");
        if (body.length > 1_000_000) return invalid("a call has at most 1 MB");
        for (const { key, value } of params) {
          if ((run.params.get(key) ?? value) !== value) return invalid(`param ${key} was ${run.params.get(key)}`);
          run.params.set(key, /\p{Cs}/u.test(value) ? "" : value);
        }
        for (const row of metrics) run.metrics.set(JSON.stringify([row.key, row.step, row.timestamp, row.value]), row);
        return Response.json({});
      }
      case "POST runs/update":
        if (!run) return refuse(404, "RESOURCE_DOES_NOT_EXIST", "no such run");
        run.status = json.status;
        return Response.json({});
      default:
        return refuse(404, "ENDPOINT_NOT_FOUND", `${method} ${path}`);
    }
  };
  return {
    runs,
    faults,
    headers,
    async fetch(url, init) {
      headers.push({ ...(init.headers as Record<string, string>) });
      const fault = faults.shift();
      if (fault) return fault();
      const { pathname, searchParams } = new URL(url);
      const [, artifact] = /\/api\/2\.0\/mlflow-artifacts\/artifacts\/1\/(.*)$/u.exec(pathname) ?? [];
      if (artifact !== undefined && init.method === "PUT") {
        const [id = "", , ...name] = artifact.split("/");
        runs.get(id)?.files.set(name.join("/"), init.body as string);
        return Response.json({});
      }
      const [, path = ""] = /\/api\/2\.0\/mlflow\/(.*)$/u.exec(pathname) ?? [];
      return answer(init.method ?? "GET", path, searchParams, typeof init.body === "string" ? init.body : "");
    },
    reading() {
      const read: Record<string, Record<number, number>> = {};
      for (const { metrics } of runs.values())
        for (const { key, step, value } of metrics.values()) (read[key] ??= {})[step] = value;
      return read;
    },
  };
}
