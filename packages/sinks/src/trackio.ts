import { optionCheck } from "@laconic/core/wire";
import type { FileSystem } from "@laconic/core/files";
import { timerOf, type Timer } from "@laconic/rewards";
import { type CompleteSink, type RecordedEpisode, validationMetrics, nodeFileSystem } from "@laconic/trainer";
import { delivery, type Delivery } from "./delivery.ts";
import { finiteMetrics } from "./finite-metrics.ts";
import { keptIdentity } from "./kept-identity.ts";
import { httpClient, isPassingError, type Fetch } from "./post-json.ts";
import { visible, visibleLines } from "./readable-episode.ts";

/** A trackio server: of `trackio show`, or a Space. */
export interface TrackioOptions {
  readonly url: string;
  readonly project: string;
  /** `write_token` of the address that `trackio show` prints; of a Space: an access token of the Hub, as `hfToken`. */
  readonly writeToken?: string;
  readonly hfToken?: string;
  /** A new identity of the run; a resumed run keeps the one that it has. */
  readonly newId: () => string;
  readonly fetch?: Fetch;
  readonly timer?: Timer;
  readonly fileSystem?: FileSystem;
}

const checkOptions = optionCheck<TrackioOptions>()(
  "trackioSink",
  "url project writeToken hfToken newId fetch timer fileSystem",
);

interface Entry {
  readonly step: number;
  readonly kind: "step" | "validation" | "transcripts";
  readonly metrics: Readonly<Record<string, unknown>>;
}

/**
 * Sends to a trackio server, in the background. Transcripts become traces. Each row has an identity, so that one that is sent twice is
 * there once.
 */
export function trackioSink(options: TrackioOptions): CompleteSink {
  checkOptions(options);
  const { url, project, writeToken, hfToken, newId, timer = timerOf(globalThis) } = options;
  const { fileSystem = nodeFileSystem, fetch } = options;
  const headers = {
    ...(writeToken !== undefined && { "x-trackio-write-token": writeToken }),
    ...(hfToken !== undefined && { authorization: `Bearer ${hfToken}` }),
  };
  const client = httpClient({ url, headers, ...(fetch && { fetch }) });
  let queue: Delivery<Entry> | null = null;
  const add = (entry: Entry): void => queue?.add(entry);
  return {
    name: "trackio",
    async begin({ name, directory, config }) {
      const identity = keptIdentity(fileSystem, directory, "trackio");
      const id = (await identity.read())?.id ?? newId();
      await identity.write({ id });
      const sent = { project, run: name, run_id: id, config };
      queue = delivery<Entry>({
        timer,
        isPassing: isPassingError,
        async send(batch, signal) {
          const logs = batch.map(({ step, kind, metrics }) => ({
            ...sent,
            step,
            metrics,
            log_id: `${id}:${kind}:${step}`,
          }));
          await client.ask("POST", "/api/bulk_log", { logs, hf_token: hfToken ?? null }, signal);
        },
      });
    },
    log(metrics, step) {
      add({ step, kind: "step", metrics: Object.fromEntries(finiteMetrics(metrics)) });
    },
    evaluation(evaluation) {
      add({
        step: evaluation.step,
        kind: "validation",
        metrics: Object.fromEntries(finiteMetrics(validationMetrics(evaluation))),
      });
    },
    transcripts(episodes, step) {
      add({ step, kind: "transcripts", metrics: { transcripts: episodes.map(traceOf) } });
    },
    close: () => queue?.close(),
  };
}

/** A conversation as messages; what hides or turns text around is shown by its number. */
function traceOf({ problem, episode, task }: RecordedEpisode): Readonly<Record<string, unknown>> {
  const said = episode.utterances.map(({ agent, text, silent }) => ({
    role: "assistant",
    name: visible(agent),
    content: silent ? "(silent)" : visibleLines(text),
  }));
  return {
    _type: "trackio.trace",
    messages: [{ role: "user", content: visibleLines(problem.question) }, ...said],
    metadata: {
      problem: visible(problem.id),
      answer: episode.answer === null ? null : visibleLines(episode.answer),
      expected: visibleLines(problem.gold),
      grade: Number.isNaN(task) ? null : task,
    },
  };
}
