import { flatSettings } from "./flat-settings.ts";
import { HttpError, httpClient, type HttpOptions } from "./post-json.ts";

/** A row of metrics at a step. */
export interface MlflowRow {
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** How a run is doing. */
export type MlflowStatus = "RUNNING" | "FINISHED" | "KILLED" | "FAILED";

/** The part of MLflow's REST interface (2.0) that a run needs. */
export interface MlflowRest {
  /** Of a name; made where there is none. */
  experimentId(name: string, signal: AbortSignal): Promise<string>;
  createRun(experiment: string, name: string, time: number, signal: AbortSignal): Promise<string>;
  logParams(run: string, config: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void>;
  logMetrics(run: string, rows: readonly MlflowRow[], signal: AbortSignal): Promise<void>;
  /** A file of the run, where its server keeps files; else nothing. */
  putText(run: string, name: string, text: string, signal: AbortSignal): Promise<void>;
  /** @param ended - when, in milliseconds since 1970; null while it goes on */
  setStatus(run: string, status: MlflowStatus, ended: number | null, signal: AbortSignal): Promise<void>;
}

/** Limits of one call, and of what it holds, as the interface states them. */
const limits = { metrics: 1000, params: 100, key: 250, value: 6000 } as const;

/** What the server calls things that are or are not there. */
const [missing, there] = ["RESOURCE_DOES_NOT_EXIST", "RESOURCE_ALREADY_EXISTS"] as const;

export function mlflowRest(options: HttpOptions): MlflowRest {
  const { ask } = httpClient(options);
  const api = (method: "GET" | "POST", path: string, body: unknown, signal: AbortSignal): Promise<unknown> =>
    ask(method, `/api/2.0/mlflow/${path}`, body, signal);
  const idOf = async (name: string, signal: AbortSignal): Promise<string> => {
    const found = await api(
      "GET",
      `experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`,
      undefined,
      signal,
    );
    return (found as { readonly experiment: { readonly experiment_id: string } }).experiment.experiment_id;
  };
  const isCode = (error: unknown, code: string): boolean => error instanceof HttpError && error.code === code;
  const uris = new Map<string, string>();
  return {
    async experimentId(name, signal) {
      try {
        return await idOf(name, signal);
      } catch (error) {
        if (!isCode(error, missing)) throw error;
      }
      try {
        const made = await api("POST", "experiments/create", { name }, signal);
        return (made as { readonly experiment_id: string }).experiment_id;
      } catch (error) {
        if (!isCode(error, there)) throw error; // another run made it meanwhile
        return idOf(name, signal);
      }
    },
    async createRun(experiment, name, time, signal) {
      const tags = [{ key: "mlflow.source.name", value: "laconic" }];
      const body = { experiment_id: experiment, run_name: name, start_time: Math.floor(time), tags };
      const made = (await api("POST", "runs/create", body, signal)) as RunAnswer;
      const { run_id: id, artifact_uri: uri = "" } = made.run.info;
      uris.set(id, uri);
      return id;
    },
    async logParams(run, config, signal) {
      const params = Object.entries(flatSettings(config)).map(([key, value]) => ({
        key: nameOf(key),
        value: String(value).slice(0, limits.value),
      }));
      for (let at = 0; at < params.length; at += limits.params)
        await api("POST", "runs/log-batch", { run_id: run, params: params.slice(at, at + limits.params) }, signal);
    },
    async logMetrics(run, rows, signal) {
      const metrics = rows.flatMap(({ step, time, metrics: row }) =>
        Object.entries(row)
          .filter(([name, value]) => name !== "step" && Number.isFinite(value))
          .map(([key, value]) => ({ key: nameOf(key), value, step, timestamp: Math.floor(time) })),
      );
      for (let at = 0; at < metrics.length; at += limits.metrics)
        await api("POST", "runs/log-batch", { run_id: run, metrics: metrics.slice(at, at + limits.metrics) }, signal);
    },
    async putText(run, name, text, signal) {
      if (!uris.has(run)) {
        const found = (await api("GET", `runs/get?run_id=${encodeURIComponent(run)}`, undefined, signal)) as RunAnswer;
        uris.set(run, found.run.info.artifact_uri ?? "");
      }
      const [, place] = /^mlflow-artifacts:(?:\/\/[^/]*)?\/?(.*)$/u.exec(uris.get(run) ?? "") ?? [];
      // Elsewhere (S3, a folder of the server's) it is no business of ours.
      if (place !== undefined) await ask("PUT", `/api/2.0/mlflow-artifacts/artifacts/${place}/${name}`, text, signal);
    },
    async setStatus(run, status, ended, signal) {
      const end = ended === null ? {} : { end_time: Math.floor(ended) };
      await api("POST", "runs/update", { run_id: run, status, ...end }, signal);
    },
  };
}

interface RunAnswer {
  readonly run: { readonly info: { readonly run_id: string; readonly artifact_uri?: string } };
}

/** Names that every MLflow takes: letters, digits, `_ - . /` and spaces, and no way out of a folder. */
function nameOf(name: string): string {
  return name
    .replaceAll(/[^\w\-. /]/gu, "_")
    .split("/")
    .map((part) => (/^\.*$/u.test(part) ? `_${part.replaceAll(".", "_")}` : part))
    .join("/")
    .slice(0, limits.key);
}
