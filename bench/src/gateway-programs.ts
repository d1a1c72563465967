/**
 * Cost of four programs that play at once, by rollouts per program and allowed staleness: stale rollouts, seconds per
 * step, and time without a reply in progress.
 *
 *     npx tsx bench/src/gateway-programs.ts OUT.jsonl [STEPS] [RUNS] [CHECKOUT]
 *
 * CHECKOUT, another version of this repository, is measured in turns. Judges are fast, or as in slow-judge.ts.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { machine } from "./measure.ts";
import { root } from "./processes.ts";
import { readWords } from "./options.ts";

const [out = "gateway-programs.jsonl", steps = "8", runs = "1", other] = readWords();
const programs = 4;

/** Problems per program, and max staleness in steps. */
const variants = [
  { problems: 8, maxLag: 0, judge: "quick" },
  { problems: 2, maxLag: 0, judge: "quick" },
  { problems: 8, maxLag: 4, judge: "quick" },
  { problems: 2, maxLag: 4, judge: "quick" },
  { problems: 8, maxLag: 1, judge: "quick" },
  { problems: 8, maxLag: 4, judge: "slow" },
  { problems: 8, maxLag: 1, judge: "slow" },
] as const;

const folder = await mkdtemp(join(tmpdir(), "laconic-programs-"));
try {
  const model = join(folder, "model");
  await run([join(root, "examples/endpoint/model.ts"), model]);
  writeFileSync(out, "");
  const plays = variants.flatMap((variant) =>
    Array.from({ length: Number(runs) }, (_, number) => ({ variant, number })),
  );
  for (const [p, { variant, number }] of plays.entries())
    for (const checkout of other === undefined ? [root] : [other, root]) {
      const version = checkout === root ? "this" : "other";
      const row = { run: number, ...(await measure(variant, checkout, model, join(folder, `run-${p}-${version}`))) };
      const line = `${JSON.stringify({ bench: "gateway-programs", machine: machine(), version, programs, ...row })}\n`;
      process.stdout.write(line);
      appendFileSync(out, line);
    }
} finally {
  await rm(folder, { recursive: true });
}

async function measure(
  { problems, maxLag, judge }: (typeof variants)[number],
  checkout: string,
  model: string,
  directory: string,
): Promise<Record<string, unknown>> {
  const examples = join(checkout, "examples/endpoint");
  const entry = join(checkout, "apps/trainer/assets/laconic.mjs");
  const program = judge === "slow" ? join(import.meta.dirname, "slow-judge.ts") : join(examples, "team.ts");
  const team = [process.execPath, ...process.execArgv, program].join(" ");
  const training = ["serve", "--train", join(examples, "run.json"), `model=${model}`, `train.steps=${steps}`];
  const serving = ["--run", directory, "--port", "0", "--programs", String(programs), "--program", team];
  const late =
    maxLag === 0 ? [] : [`train.asynchronous={"maxLag":${maxLag},"importanceCap":2}`, "train.oldLogProbs=recompute"];
  const watching = new AbortController();
  let watched: Promise<number> | undefined;
  await run([entry, ...training, ...late, ...serving], { TEAM_PROBLEMS: String(problems) }, (said) => {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/u.exec(said) ?? [];
    if (url !== undefined) watched ??= idleShare(url, watching.signal);
  });
  watching.abort();
  const rowsOf = async <T>(name: string): Promise<T[]> =>
    (await readFile(join(directory, name), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as T);
  const events = await rowsOf<{ kind: string; reason?: string; ids?: string[] }>("gateway.jsonl");
  const opened = events.filter(({ kind }) => kind === "opened").length;
  const trained = events.reduce((sum, { kind, ids }) => sum + (kind === "taken" ? (ids?.length ?? 0) : 0), 0);
  const stale = events.filter(({ kind, reason }) => kind === "dropped" && reason === "stale").length;
  const timing = await rowsOf<Readonly<Record<string, number>>>("timing.jsonl");
  // The first step includes the programs' start.
  const seconds = timing
    .slice(1)
    .map((row) =>
      Object.entries(row).reduce((sum, [name, value]) => sum + (name.startsWith("timing_s/") ? value : 0), 0),
    )
    .toSorted((a, b) => a - b);
  const grades = (await rowsOf<Readonly<Record<string, number>>>("metrics.jsonl")).map(
    (row) => row["rewards/task/mean"],
  );
  return {
    problems,
    maxLag,
    judge,
    steps: Number(steps),
    opened,
    trained,
    stale,
    staleShare: stale / opened,
    medianStepSeconds: seconds[Math.floor(seconds.length / 2)],
    idleShare: await watched,
    lastGrade: grades.at(-1),
  };
}

/** Share of time without a reply in progress, sampled ten times a second after the first. */
async function idleShare(url: string, signal: AbortSignal): Promise<number> {
  let [asked, idle] = [0, 0];
  for (; !signal.aborted; await sleep(100)) {
    const health = await fetch(`${url}/health`).then(
      async (answer) => (await answer.json()) as { readonly running: number },
      () => null,
    );
    if (health === null || (asked === 0 && health.running === 0)) continue;
    asked += 1;
    if (health.running === 0) idle += 1;
  }
  return idle / asked;
}

/** @throws Error with the script's last output if it fails */
async function run(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  hear: (said: string) => void = () => undefined,
): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, ...words], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (piece: Buffer) => {
    said = (said + piece.toString()).slice(-4000);
    hear(said);
  });
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`${words[0]}: exit code ${code}\n${said}`);
}
