/**
 * Rollouts that are dropped as stale while four programs play at once, by how much each plays and how late a step may train.
 *
 *     npx tsx bench/src/gateway-programs.ts OUT.jsonl [STEPS]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { machine } from "./measure.ts";

const [, , out = "gateway-programs.jsonl", steps = "8"] = process.argv;
const root = join(import.meta.dirname, "../..");
const examples = join(root, "examples/endpoint");
const programs = 4;

/** Problems that each program plays at a time, and steps that a rollout may be late. */
const variants = [
  { problems: 8, maxLag: 0 },
  { problems: 2, maxLag: 0 },
  { problems: 8, maxLag: 4 },
  { problems: 2, maxLag: 2 },
] as const;

const folder = await mkdtemp(join(tmpdir(), "laconic-programs-"));
try {
  const model = join(folder, "model");
  await run([join(examples, "model.ts"), model]);
  writeFileSync(out, "");
  for (const variant of variants) {
    const row = await measure(variant, model, join(folder, `run-${variant.problems}-${variant.maxLag}`));
    appendFileSync(out, `${JSON.stringify(row)}\n`);
    process.stdout.write(`${JSON.stringify(row)}\n`);
  }
} finally {
  await rm(folder, { recursive: true });
}

async function measure(
  { problems, maxLag }: (typeof variants)[number],
  model: string,
  directory: string,
): Promise<Record<string, unknown>> {
  const entry = join(root, "apps/trainer/assets/laconic.mjs");
  const team = [process.execPath, ...process.execArgv, join(examples, "team.ts")].join(" ");
  const training = ["serve", "--train", join(examples, "run.json"), `model=${model}`, `train.steps=${steps}`];
  const serving = ["--run", directory, "--port", "0", "--programs", String(programs), "--program", team];
  const late =
    maxLag === 0 ? [] : [`train.asynchronous={"maxLag":${maxLag},"importanceCap":2}`, "train.oldLogProbs=recompute"];
  const since = performance.now();
  await run([entry, ...training, ...late, ...serving], { TEAM_PROBLEMS: String(problems) });
  const seconds = Math.round((performance.now() - since) / 1000);
  const events = await readFile(join(directory, "gateway.jsonl"), "utf8");
  const rows = events
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; reason?: string; ids?: string[] });
  const dropped = (reason: string): number =>
    rows.filter((row) => row.kind === "dropped" && row.reason === reason).length;
  const opened = rows.filter(({ kind }) => kind === "opened").length;
  const trained = rows.reduce((sum, { kind, ids }) => sum + (kind === "taken" ? (ids?.length ?? 0) : 0), 0);
  const stale = dropped("stale");
  return {
    bench: "gateway-programs",
    machine: machine(),
    programs,
    problems,
    maxLag,
    steps: Number(steps),
    seconds,
    opened,
    trained,
    stale,
    staleShare: stale / opened,
  };
}

/** Runs a script of this repository to its end. @throws Error where it fails, with what it said last */
async function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, ...words], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (piece: Buffer) => (said = (said + piece.toString()).slice(-4000)));
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`${words[0]}: exit code ${code}\n${said}`);
}
