import type { FileSystem } from "@laconic/core/files";
import { timerOf, type Timer } from "@laconic/rewards";
import { nodeFileSystem } from "#platform";
import { delivery, type Delivery } from "./delivery.ts";
import { heldOutMetrics } from "./held-out-metrics.ts";
import { keptIdentity, type KeptIdentity } from "./kept-identity.ts";
import type { CompleteSink, SinkOutcome, SinkRun } from "./metric-sink.ts";
import { mlflowRest, type MlflowRest } from "./mlflow-rest.ts";
import type { Fetch } from "./post-json.ts";
import { isPassingError } from "./post-json.ts";
import { readableEpisode } from "./readable-episode.ts";

/** An MLflow tracking server. */
export interface MlflowOptions {
  readonly url: string;
  /** By its name; made where there is none. */
  readonly experiment: string;
  /** Such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  readonly fetch?: Fetch;
  readonly timer?: Timer;
  readonly fileSystem?: FileSystem;
}

type Entry =
  | {
      readonly kind: "metrics";
      readonly step: number;
      readonly time: number;
      readonly metrics: Readonly<Record<string, number>>;
    }
  | { readonly kind: "artifact"; readonly step: number; readonly name: string; readonly text: string }
  | { readonly kind: "end"; readonly step: number; readonly outcome: SinkOutcome };

const statusOf = { finished: "FINISHED", interrupted: "KILLED", failed: "FAILED" } as const;

/** Sends to an MLflow server by its REST interface, in the background. A resumed run goes on in the run that it has there. */
export function mlflowSink(options: MlflowOptions): CompleteSink {
  const { url, experiment, headers, wallTime, fetch, timer = timerOf(globalThis) } = options;
  const fileSystem = options.fileSystem ?? nodeFileSystem;
  const rest = mlflowRest({ url, ...(headers && { headers }), ...(fetch && { fetch }) });
  let queue: Delivery<Entry> | null = null;
  /** The server has all before it. */
  let known = -1;
  const add = (entry: Entry): void => {
    if (entry.step > known || entry.kind === "end") queue?.add(entry);
  };
  return {
    name: "mlflow",
    async begin(run) {
      const identity = keptIdentity(fileSystem, run.directory, "mlflow");
      let kept = await identity.read();
      let isKnown = kept === null;
      known = kept?.step ?? -1;
      queue = delivery<Entry>({
        timer,
        isPassing: isPassingError,
        async send(batch, signal) {
          kept ??= await created(rest, experiment, run, wallTime(), signal);
          if (!isKnown) await rest.setStatus(kept.id, "RUNNING", null, signal);
          isKnown = true;
          await sendBatch(rest, kept.id, batch, wallTime(), signal);
          // A step is whole once the next one is there.
          kept = { id: kept.id, step: Math.max(kept.step, ...batch.map(({ step }) => step - 1)) };
          await identity.write(kept);
        },
      });
    },
    log(metrics, step) {
      add({ kind: "metrics", step, time: wallTime(), metrics });
    },
    evaluation(evaluation) {
      add({ kind: "metrics", step: evaluation.step, time: wallTime(), metrics: heldOutMetrics(evaluation) });
    },
    transcripts(episodes, step) {
      const name = `transcripts/step-${String(step).padStart(6, "0")}.txt`;
      add({ kind: "artifact", step, name, text: `${episodes.map(readableEpisode).join("\n\n")}\n` });
    },
    async close(outcome = "interrupted") {
      add({ kind: "end", step: known, outcome });
      await queue?.close();
    },
  };
}

async function created(
  rest: MlflowRest,
  experiment: string,
  { name, config }: SinkRun,
  time: number,
  signal: AbortSignal,
): Promise<KeptIdentity> {
  const id = await rest.createRun(await rest.experimentId(experiment, signal), name, time, signal);
  await rest.logParams(id, config, signal);
  return { id, step: -1 };
}

async function sendBatch(
  rest: MlflowRest,
  id: string,
  batch: readonly Entry[],
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const rows = batch.flatMap((entry) => (entry.kind === "metrics" ? [entry] : []));
  if (rows.length > 0) await rest.logMetrics(id, rows, signal);
  for (const entry of batch) {
    if (entry.kind === "artifact") await rest.putText(id, entry.name, entry.text, signal);
    if (entry.kind === "end") await rest.setStatus(id, statusOf[entry.outcome], now, signal);
  }
}
