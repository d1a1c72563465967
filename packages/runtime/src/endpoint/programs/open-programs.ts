import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { runCommand, type RunCommand } from "../../devices/install/run-command.ts";
import { keepRunning, type KeepOptions } from "./keep-running.ts";
import { renderJob, startJob } from "./start-job.ts";
import { startProcess } from "./start-process.ts";

/** Programs that play the rollouts of a training endpoint, kept running as long as it trains. */
export type ProgramSettings = {
  /** How many at once. */
  readonly count: number;
} & (
  | { readonly command: readonly [program: string, ...words: string[]] }
  | {
      /** Path of a Kubernetes manifest of one Job, with places such as `${NAME}`. */
      readonly job: string;
    }
);

/** What the programs are told, and who hears of them. */
export interface ProgramContext extends Pick<KeepOptions, "warn" | "allGaveUp"> {
  /** Of the endpoint, without a path. */
  readonly url: string;
  /** Null where the endpoint takes everybody. */
  readonly apiKey: string | null;
  readonly say: (line: string) => void;
  readonly run?: RunCommand;
}

/**
 * Checks what can be checked before anything starts.
 * @throws LaconicError `input_invalid` for a template that cannot be read, `config_invalid` for one that does not fit
 */
export async function checkPrograms(settings: ProgramSettings): Promise<void> {
  if ("job" in settings) renderJob(await templateOf(settings.job), valuesOf("http://127.0.0.1:8000"));
}

/**
 * Starts the programs, and starts anew what ends.
 *
 * A process gets the endpoint by its environment: `LACONIC_URL`, `OPENAI_BASE_URL` (with `/v1`), its number as `LACONIC_PROGRAM`, and the
 * key as `LACONIC_API_KEY` and `OPENAI_API_KEY`. A Job gets what its template says; the key belongs in a Secret.
 * @returns what ends them all
 */
export async function openPrograms(settings: ProgramSettings, context: ProgramContext): Promise<() => Promise<void>> {
  const { url, apiKey, say, run = runCommand, ...heard } = context;
  if ("command" in settings) {
    const environment = (index: number): Record<string, string> => ({
      LACONIC_URL: url,
      LACONIC_PROGRAM: String(index),
      OPENAI_BASE_URL: `${url}/v1`,
      // Clients of OpenAI's refuse to begin without one.
      OPENAI_API_KEY: apiKey ?? "none",
      ...(apiKey !== null && { LACONIC_API_KEY: apiKey }),
    });
    const start = startProcess({
      command: settings.command,
      environment,
      say: (index, line) => say(`program ${index + 1}: ${line}`),
    });
    const kept = keepRunning({ count: settings.count, start, ...heard });
    return () => kept.stop();
  }
  const folder = await mkdtemp(join(tmpdir(), "laconic-jobs-"));
  const start = startJob({
    template: await templateOf(settings.job),
    values: valuesOf(url),
    prefix: `laconic-${randomUUID().slice(0, 8)}`,
    run,
    async writeManifest(name, text) {
      const file = join(folder, `${name}.yaml`);
      await writeFile(file, text);
      return file;
    },
  });
  const kept = keepRunning({ count: settings.count, start, ...heard });
  return async () => {
    await kept.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

function valuesOf(url: string): Record<string, string> {
  return { NAME: "laconic-0-0", INDEX: "0", URL: url, BASE_URL: `${url}/v1` };
}

async function templateOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new LaconicError("input_invalid", `--program-job: ${file} cannot be read: ${(error as Error).message}`, {
      file,
    });
  }
}
