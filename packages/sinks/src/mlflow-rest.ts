import { finiteMetrics } from "./finite-metrics.ts";
import { flatSettings } from "./flat-settings.ts";
import { HttpError, httpClient, type HttpOptions } from "./post-json.ts";
import { visible, visibleLines } from "./readable-episode.ts";

/** A row of metrics at a step. */
export interface MlflowRow {
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** How a run is doing. */
export type MlflowStatus = "RUNNING" | "FINISHED" | "KILLED" | "FAILED";

/** Limits of one call, and of what it holds, as the interface states them; its 1 MB with room for what is around the rows. */
const limits = { metrics: 1000, params: 100, value: 6000, bytes: 900_000 } as const;

/** What the server calls things that are or are not there. */
const missing = "RESOURCE_DOES_NOT_EXIST";
const there = "RESOURCE_ALREADY_EXISTS";

/** The part of MLflow's REST interface (2.0) that a run needs. */
export class MlflowRest {
  readonly #ask: ReturnType<typeof httpClient>["ask"];
  /** Where each run keeps its files. */
  readonly #uris = new Map<string, string>();
  readonly #metricNameOf = mlflowNames();

  constructor(options: HttpOptions) {
    this.#ask = httpClient(options).ask;
  }

  /** Of a name; made where there is none. */
  async experimentId(given: string, signal: AbortSignal): Promise<string> {
    const name = visible(given);
    try {
      return await this.#idOf(name, signal);
    } catch (error) {
      if (!isCode(error, missing)) throw error;
    }
    try {
      const made = await this.#api("POST", "experiments/create", { name }, signal);
      return (made as { readonly experiment_id: string }).experiment_id;
    } catch (error) {
      if (!isCode(error, there)) throw error; // another run made it meanwhile
      return this.#idOf(name, signal);
    }
  }

  async createRun(experiment: string, name: string, time: number, signal: AbortSignal): Promise<string> {
    const tags = [
      { key: "mlflow.source.name", value: "laconic" },
      { key: "mlflow.source.type", value: "LOCAL" },
    ];
    const body = { experiment_id: experiment, run_name: visible(name), start_time: Math.floor(time), tags };
    const made = (await this.#api("POST", "runs/create", body, signal)) as RunAnswer;
    const { run_id: id, artifact_uri: uri = "" } = made.run.info;
    this.#uris.set(id, uri);
    return id;
  }

  async logParams(run: string, config: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void> {
    const nameOf = mlflowNames();
    const params = Object.entries(flatSettings(config)).map(([key, value]) => ({
      key: nameOf(key),
      value: firstOf(visibleLines(String(value)), limits.value),
    }));
    await this.#logBatch(run, "params", params, signal);
  }

  async logMetrics(run: string, rows: readonly MlflowRow[], signal: AbortSignal): Promise<void> {
    const metrics = rows.flatMap(({ step, time, metrics: row }) =>
      finiteMetrics(row).map(([key, value]) => ({
        key: this.#metricNameOf(key),
        value,
        step,
        timestamp: Math.floor(time),
      })),
    );
    await this.#logBatch(run, "metrics", metrics, signal);
  }

  /** A file of the run, where its server keeps files; else nothing. */
  async putText(run: string, name: string, text: string, signal: AbortSignal): Promise<void> {
    if (!this.#uris.has(run)) {
      const found = await this.#api("GET", `runs/get?run_id=${encodeURIComponent(run)}`, undefined, signal);
      this.#uris.set(run, (found as RunAnswer).run.info.artifact_uri ?? "");
    }
    const [, path] = /^mlflow-artifacts:(?:\/\/[^/]*)?\/?(.*)$/u.exec(this.#uris.get(run) ?? "") ?? [];
    // Elsewhere (S3, a folder of the server's) it is no business of ours.
    if (path !== undefined) await this.#ask("PUT", `/api/2.0/mlflow-artifacts/artifacts/${path}/${name}`, text, signal);
  }

  /** @param ended - when, in milliseconds since 1970; null while it goes on */
  async setStatus(run: string, status: MlflowStatus, ended: number | null, signal: AbortSignal): Promise<void> {
    const end = ended === null ? {} : { end_time: Math.floor(ended) };
    await this.#api("POST", "runs/update", { run_id: run, status, ...end }, signal);
  }

  #api(method: "GET" | "POST", path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#ask(method, `/api/2.0/mlflow/${path}`, body, signal);
  }

  async #idOf(name: string, signal: AbortSignal): Promise<string> {
    const path = `experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`;
    const found = await this.#api("GET", path, undefined, signal);
    return (found as { readonly experiment: { readonly experiment_id: string } }).experiment.experiment_id;
  }

  async #logBatch(
    run: string,
    kind: "metrics" | "params",
    rows: readonly object[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const part of batches(rows, limits[kind]))
      await this.#api("POST", "runs/log-batch", { run_id: run, [kind]: part }, signal);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof HttpError && error.code === code;
}

interface RunAnswer {
  readonly run: { readonly info: { readonly run_id: string; readonly artifact_uri?: string } };
}

/** The first characters of a text, none of them half: MLflow keeps nothing of a text with a lone surrogate. */
function firstOf(text: string, max: number): string {
  return text.slice(0, max).replace(/\p{Cs}$/u, "");
}

/** In order, as many at once as a call may hold. */
function batches<T>(rows: readonly T[], max: number): T[][] {
  const parts: T[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    const size = new TextEncoder().encode(JSON.stringify(row)).length + 1;
    const last = parts.at(-1);
    if (last && last.length < max && bytes + size <= limits.bytes) {
      last.push(row);
      bytes += size;
    } else {
      parts.push([row]);
      bytes = size;
    }
  }
  return parts;
}

/** Of a name. */
const maxCharacters = 250;

/**
 * Names as every MLflow takes them, on Windows too: letters, digits, `_ - . /` and spaces, and none that would lead out of a folder.
 * Two names of ours are two there: the second of those that would be the same gets a number.
 */
function mlflowNames(): (name: string) => string {
  const owners = new Map<string, string>();
  return (name) => {
    for (let copy = 1; ; copy++) {
      const end = copy === 1 ? "" : `_${copy}`;
      // What a cut leaves of the last part may need a character more.
      const tried = plain(plain(name).slice(0, maxCharacters - 1 - end.length) + end);
      const owner = owners.get(tried) ?? name;
      owners.set(tried, owner);
      if (owner === name) return tried;
    }
  };
}

function plain(name: string): string {
  return name
    .replaceAll(/[^\p{L}\p{Nd}_\-. /]/gu, "_")
    .split("/")
    .map((part) => (/^\.*$/u.test(part) ? `_${part.replaceAll(".", "_")}` : part))
    .join("/");
}
