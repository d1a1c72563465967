import { setTimeout as sleep } from "node:timers/promises";
import { LaconicError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import type { RunCommand } from "../../devices/install/run-command.ts";
import type { StartedProgram, StartProgram } from "./keep-running.ts";

/** How Jobs of Kubernetes are made. */
export interface JobOptions {
  /** A manifest of one Job in which `${NAME}`, `${INDEX}` and what `values` has stand for what is rendered. */
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
  /** What the Jobs' names begin with. */
  readonly prefix: string;
  readonly run: RunCommand;
  readonly kubectl?: string;
  /** Writes a rendered manifest. @returns its path */
  readonly writeManifest: (name: string, text: string) => Promise<string>;
  /** Between two questions about a Job. */
  readonly everyMs?: number;
}

const defaultEveryMs = 5000;

/** Questions in a row without an answer after which a Job counts as lost. */
const maxUnanswered = 12;

/**
 * A template with its places filled.
 * @throws LaconicError `config_invalid` for a place that nothing fills, and for a template without `${NAME}`
 */
export function renderJob(template: string, values: Readonly<Record<string, string>>): string {
  if (!template.includes("${NAME}"))
    throw new LaconicError(
      "config_invalid",
      "the template of the Job has no ${NAME}: put it at metadata.name, so that each program has a Job of its own",
      { key: "program-job" },
    );
  return template.replaceAll(/\$\{([A-Z_]+)\}/gu, (_, name: string) => {
    const value = values[name];
    if (value !== undefined) return value;
    throw new LaconicError(
      "config_invalid",
      `the template of the Job has \${${name}}; expected one of ${Object.keys(values).join(", ")}`,
      { key: "program-job", name },
    );
  });
}

/** Starts Jobs by `kubectl`, each under a name of its own, and deletes them at the end. */
export function startJob(options: JobOptions): StartProgram {
  const { template, values, prefix, run, kubectl = "kubectl", writeManifest, everyMs = defaultEveryMs } = options;
  const ask = async (...words: string[]): Promise<string> => {
    const { code, text } = await run(kubectl, words);
    if (code === 0) return text;
    throw new Error(`${kubectl} ${words.join(" ")}: ${text.trim() || `exit code ${code ?? "none"}`}`);
  };
  const remove = (name: string): Promise<unknown> =>
    run(kubectl, ["delete", "job", name, "--ignore-not-found", "--wait=false", "--cascade=foreground"]);
  return async (index, attempt) => {
    const name = `${prefix}-${index}-${attempt}`;
    const manifest = renderJob(template, { ...values, NAME: name, INDEX: String(index) });
    await ask("apply", "-f", await writeManifest(name, manifest));
    const stopping = new AbortController();
    const ended = (async (): Promise<string | null> => {
      for (let unanswered = 0; !stopping.signal.aborted;) {
        await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (stopping.signal.aborted) return null;
        const { code, text } = await run(kubectl, ["get", "job", name, "-o", "json"]);
        const status = code === 0 ? statusIn(text) : null;
        const isGone = code !== 0 && /not ?found/iu.test(text);
        const end = status ? endOf(status) : isGone ? "its Job is gone" : undefined;
        unanswered = status ? 0 : unanswered + 1;
        if (end === undefined && unanswered < maxUnanswered) continue;
        await remove(name);
        return end === undefined ? `${kubectl} says nothing of it: ${text.trim()}` : end;
      }
      return null;
    })();
    return {
      ended,
      async stop() {
        stopping.abort();
        await remove(name);
        await ended;
      },
    } satisfies StartedProgram;
  };
}

interface JobStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
}

/** Null for what is no Job. */
function statusIn(text: string): JobStatus | null {
  return (tryParseJson(text) as { readonly status?: JobStatus } | null | undefined)?.status ?? null;
}

/** Undefined while it goes on; null where it ended well; else why not. */
function endOf({ conditions }: JobStatus): string | null | undefined {
  const isTrue = (type: string): { readonly message?: string } | undefined =>
    conditions?.find((each) => each.type === type && each.status === "True");
  if (isTrue("Complete")) return null;
  const failed = isTrue("Failed");
  return failed && (failed.message ?? "its Job failed");
}
