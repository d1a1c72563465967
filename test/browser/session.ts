import type { Engine } from "../../packages/core/src/index.ts";
import { memoryFileSystem } from "../../packages/core/src/files/index.ts";
import { localPolicy } from "../../packages/engine/src/index.ts";
import { relayTask } from "../../packages/tasks/src/index.ts";
import { onePolicy, openRun, parseTrainConfig, runSpec, train } from "../../packages/trainer/src/index.ts";

export type Files = ReturnType<typeof memoryFileSystem>;

export const modelFolder = "/policy";

export interface SessionOptions {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly steps: number;
}

/** Results that must be equal on all platforms. */
export interface SessionResult {
  readonly metrics: readonly string[];
  readonly evaluations: readonly string[];
  /** SHA-256 of weights, optimizer and state in the last checkpoint, if the engine shares the run's files. */
  readonly checkpoint: Readonly<Record<string, string>>;
}

export async function fetchOptions(): Promise<SessionOptions> {
  return (await (await fetch("/options.json")).json()) as SessionOptions;
}

/** Training run with its folder in memory; the same code in Node and in a browser. */
export async function session(engine: Engine, files: Files, options: SessionOptions): Promise<SessionResult> {
  const { settings, steps } = options;
  const task = relayTask({ level: "one-fact", testProblems: 1000 });
  const model = await engine.createModel({ kind: "folder", path: modelFolder });
  const parts = onePolicy(task, model, (sampler) => localPolicy({ id: model.id, sampler, tokenizer: task.tokenizer }));
  const stop = new AbortController();
  const run = await openRun({
    directory: "/run",
    config: settings,
    environment: {},
    keepCheckpoints: 1,
    now: () => performance.now(),
    fileSystem: files,
    observer: { step: ({ step }) => (step === steps ? stop.abort() : undefined) },
  });
  const shares = await files.exists(`${modelFolder}/config.json`);
  if (!shares) {
    // Weights without a folder cannot be saved.
    const nothing = async (): Promise<void> => undefined;
    Object.assign(run, { begin: nothing, checkpoint: nothing });
  }
  await train(runSpec({ ...parts, settings: parseTrainConfig(settings) }), { recorder: run, signal: stop.signal });
  await run.close();
  await engine.close();
  const rows = async (name: string): Promise<string[]> =>
    new TextDecoder()
      .decode(await files.read(`/run/${name}`))
      .split("\n")
      .slice(0, -1);
  return {
    metrics: await rows("metrics.jsonl"),
    evaluations: await rows("evaluations.jsonl"),
    checkpoint: shares ? await digests(files) : {},
  };
}

async function digests(files: Files): Promise<Record<string, string>> {
  const folder = "/run/checkpoints";
  const last = new TextDecoder().decode(await files.read(`${folder}/LATEST`)).trim();
  const match: Record<string, string> = {};
  for (const name of ["model.safetensors", "optimizer.safetensors", "config.json", "state.json"])
    match[name] = (await files.digest(`${folder}/${last}/${name}`)).sha256;
  return match;
}
