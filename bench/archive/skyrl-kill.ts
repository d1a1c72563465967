import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LaconicError, type Engine, type TrainableModel } from "@laconic/core";
import { conformanceOptimizer } from "@laconic/engine/testing";
import { TinkerClient, tinkerEngine, type ServerRecord } from "@laconic/tinker";

/** What a kill -9 of the server's engine came to. */
export interface KillReport {
  readonly killed: "step" | "save";
  /** What the call in progress ended with. */
  readonly call: string;
  /** What the server, started anew on the same database, says of the model that was. */
  readonly oldModel: string;
  /** Files that the save left here. */
  readonly leftFiles: readonly string[];
  /** Log-probs of the last checkpoint in a new model, against those when it was saved. */
  readonly restored: number;
  /** After the step that was lost was taken again, against the run that was not killed. */
  readonly repeated: number;
}

const script = fileURLToPath(new URL("../../scripts/serve-skyrl.sh", import.meta.url));
const lora = { rank: 8, alpha: 32 };
const sequences = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 5, 0] },
  { promptTokens: [6], completionTokens: [7, 8] },
];

/** Starts a server of its own, kills its engine in a step and in a save, and goes on from the checkpoint before. */
export async function runKills(
  folder: string,
  port: number,
  record: Omit<ServerRecord, "baseModel">,
  say: (text: string) => void,
): Promise<readonly KillReport[]> {
  const work = await mkdtemp(join(tmpdir(), "laconic-kill-"));
  const reports: KillReport[] = [];
  let server = await start(folder, port, work, say);
  try {
    for (const killed of ["step", "save"] as const) {
      const saved = await mkdtemp(join(work, "saved-"));
      const half = await mkdtemp(join(work, "half-"));
      const { engine, base } = await connect(port, record);
      const model = await engine.createModel({ kind: "adapter", base, lora, seed: 5 });
      await step(model);
      await step(model);
      await model.save(saved);
      const before = await logProbs(model);
      await step(model);
      const straight = await logProbs(model);
      say(`killing the engine in a ${killed}`);
      const call = (killed === "step" ? step(model) : model.save(half)).then(
        () => "done",
        (error: unknown) => describe(error),
      );
      await after(20);
      killEngine(server);
      const ended = await call;
      await exited(server);
      server = await start(folder, port, work, say);
      const oldModel = await model.forward(sequences).then(
        () => "answers",
        (error: unknown) => describe(error),
      );
      const again = await connect(port, record);
      const fresh = await again.engine.createModel({ kind: "adapter", base, lora, seed: 5 });
      await fresh.load(saved);
      const restored = apart(await logProbs(fresh), before);
      await step(fresh);
      const repeated = apart(await logProbs(fresh), straight);
      const leftFiles = await readdir(half);
      const report: KillReport = { killed, call: ended, oldModel, leftFiles, restored, repeated };
      say(JSON.stringify(report));
      reports.push(report);
      await again.engine.close();
      await engine.close().catch(() => undefined);
    }
  } finally {
    server.kill("SIGTERM");
  }
  return reports;
}

async function connect(
  port: number,
  record: Omit<ServerRecord, "baseModel">,
): Promise<{ engine: Engine; base: { kind: "folder"; path: string } }> {
  const client = await TinkerClient.connect({
    baseUrl: `http://127.0.0.1:${port}`,
    deduplicates: record.deduplicates,
    attempts: 4,
  });
  const [first] = (await client.capabilities()).supported_models;
  const path = first?.model_name ?? "";
  const engine = tinkerEngine({
    client,
    record: { ...record, baseModel: path },
    vocabularySize: 13,
    contextLength: 48,
  });
  return { engine, base: { kind: "folder", path } };
}

async function step(model: TrainableModel): Promise<void> {
  await model.forwardBackward(sequences, ({ values }) => values.map((value) => value / 10 - 0.1));
  await model.optimStep({ ...conformanceOptimizer, maxGradNorm: Infinity });
}

async function logProbs(model: TrainableModel): Promise<Float64Array> {
  return (await model.forward(sequences)).logProbs.values;
}

function apart(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), 0);
}

function describe(error: unknown): string {
  return LaconicError.is(error) ? `${error.code}: ${error.message}` : String(error);
}

async function start(folder: string, port: number, work: string, say: (text: string) => void): Promise<ChildProcess> {
  const child = spawn("bash", [script, folder, String(port), work], { stdio: "ignore" });
  for (let second = 0; second < 300; second++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/healthz`).catch(() => null);
    if (answer?.ok) {
      say(`the server is up after ${second} s`);
      return child;
    }
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    await after(1000);
  }
  throw new Error("the server did not start");
}

/** The engine is a descendant of what was started here. */
function killEngine({ pid }: ChildProcess): void {
  const found = descendants(pid ?? -1).filter((each) => each.command.includes("-m skyrl.tinker.engine"));
  for (const each of found) process.kill(each.pid, "SIGKILL");
}

function descendants(parent: number): { readonly pid: number; readonly command: string }[] {
  const listed = spawnSync("ps", ["-o", "pid=,args=", "--ppid", String(parent)]).stdout.toString();
  return listed
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const [pid = "", ...words] = line.trim().split(/\s+/u);
      return [{ pid: Number(pid), command: words.join(" ") }, ...descendants(Number(pid))];
    });
}

async function exited(child: ChildProcess): Promise<void> {
  for (let second = 0; second < 60 && child.exitCode === null && child.signalCode === null; second++) await after(1000);
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
}
