import { optionCheck } from "@laconic/core/wire";
import type { FileSystem } from "@laconic/core/files";
import { timerOf, type Timer } from "@laconic/rewards";
import { type CompleteSink, validationMetrics, nodeFileSystem, type SinkOutcome, type SinkRun } from "@laconic/trainer";
import { delivery, type Delivery } from "./delivery.ts";
import { keptIdentity, type KeptIdentity } from "./kept-identity.ts";
import { MlflowRest } from "./mlflow-rest.ts";
import { isPassingError, type Fetch } from "./post-json.ts";
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

const checkOptions = optionCheck<MlflowOptions>()(
  "mlflowSink",
  "url experiment headers wallTime fetch timer fileSystem",
);

type Entry =
  | {
      readonly kind: "metrics" | "validation";
      readonly step: number;
      readonly time: number;
      readonly metrics: Readonly<Record<string, number>>;
    }
  | { readonly kind: "transcripts"; readonly step: number; readonly name: string; readonly text: string }
  | { readonly kind: "end"; readonly outcome: SinkOutcome };

const statusOf = { finished: "FINISHED", interrupted: "KILLED", failed: "FAILED" } as const;

/** Sends to an MLflow server by its REST interface, in the background. A resumed run goes on in the run that it has there. */
export function mlflowSink(options: MlflowOptions): CompleteSink {
  checkOptions(options);
  const { url, experiment, headers, wallTime, fetch, timer = timerOf(globalThis) } = options;
  const fileSystem = options.fileSystem ?? nodeFileSystem;
  const rest = new MlflowRest({ url, ...(headers && { headers }), ...(fetch && { fetch }) });
  let queue: Delivery<Entry> | null = null;
  /** What the server had when this began: a resumed run tells everything again. */
  let known: KeptIdentity["last"] = {};
  const add = (entry: Entry): void => {
    if (entry.kind === "end" || entry.step > (known?.[entry.kind] ?? -1)) queue?.add(entry);
  };
  return {
    name: "mlflow",
    async begin(run) {
      const identity = keptIdentity(fileSystem, run.directory, "mlflow");
      let kept = await identity.read();
      let isGoingOn = kept !== null;
      known = kept?.last;
      const keep = async ({ id }: KeptIdentity, last: KeptIdentity["last"]): Promise<KeptIdentity> => {
        const now = { id, last: { ...kept?.last, ...last } };
        await identity.write(now);
        return now;
      };
      queue = delivery<Entry>({
        timer,
        isPassing: isPassingError,
        async send(batch, signal) {
          // Each is kept as soon as it is there, so that what fails later makes no second run.
          kept ??= await keep(await created(rest, experiment, run, wallTime(), signal), {});
          if (isGoingOn) await rest.setStatus(kept.id, "RUNNING", null, signal);
          isGoingOn = false;
          if (kept.last?.["settings"] === undefined) {
            await rest.logParams(kept.id, run.config, signal);
            kept = await keep(kept, { settings: 0 });
          }
          await sendBatch(rest, kept.id, batch, wallTime(), signal);
          kept = await keep(kept, lastOf(batch));
        },
      });
    },
    log(metrics, step) {
      add({ kind: "metrics", step, time: wallTime(), metrics });
    },
    evaluation(evaluation) {
      add({ kind: "validation", step: evaluation.step, time: wallTime(), metrics: validationMetrics(evaluation) });
    },
    transcripts(episodes, step) {
      const name = `transcripts/step-${String(step).padStart(6, "0")}.txt`;
      add({ kind: "transcripts", step, name, text: `${episodes.map(readableEpisode).join("\n\n")}\n` });
    },
    async close(outcome = "interrupted") {
      add({ kind: "end", outcome });
      await queue?.close();
    },
  };
}

async function created(
  rest: MlflowRest,
  experiment: string,
  run: SinkRun,
  time: number,
  signal: AbortSignal,
): Promise<KeptIdentity> {
  return { id: await rest.createRun(await rest.experimentId(experiment, signal), run.name, time, signal) };
}

/** Of each kind, the last step. */
function lastOf(batch: readonly Entry[]): Readonly<Record<string, number>> {
  return Object.fromEntries(batch.flatMap((entry) => (entry.kind === "end" ? [] : [[entry.kind, entry.step]])));
}

async function sendBatch(
  rest: MlflowRest,
  id: string,
  batch: readonly Entry[],
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const rows = batch.flatMap((entry) => (entry.kind === "metrics" || entry.kind === "validation" ? [entry] : []));
  if (rows.length > 0) await rest.logMetrics(id, rows, signal);
  for (const entry of batch) {
    if (entry.kind === "transcripts") await rest.putText(id, entry.name, entry.text, signal);
    if (entry.kind === "end") await rest.setStatus(id, statusOf[entry.outcome], now, signal);
  }
}
