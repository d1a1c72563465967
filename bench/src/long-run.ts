/**
 * What a folder of a very long run costs to look at: makes one of so many gigabytes out of a run of three steps, and measures first answers,
 * first paint, report, resume and verify. Its episodes repeat those of the small run: heads have the step, contents that of the original.
 *
 *     npx tsx bench/src/long-run.ts OUT.jsonl [GIGABYTES] [RUNS]
 *
 * A folder that is named stays, and is made where it is not there.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { gunzipSync, gzipSync } from "node:zlib";
import { gzipMember, recordVersion, runFiles, tracePartName } from "@laconic/core/run-folder";
import { chromium } from "playwright-core";
import { machine, now } from "./measure.ts";
import { laconic } from "./processes.ts";
import { readWords } from "./options.ts";
import { printRow } from "./rows.ts";

const [out = "long-run.jsonl", gigabytes = "10", given] = readWords();
const partBytes = 64 << 20;
// A disk in memory rarely has the room.
const folder = mkdtempSync(join(process.env["LACONIC_BENCH_FOLDER"] ?? tmpdir(), "laconic-long-run-"));
try {
  const runs = given ?? join(folder, "runs");
  if (!existsSync(runs)) make(join(folder, "small"), join(runs, "long"));
  await measureAll(runs);
} finally {
  rmSync(folder, { recursive: true });
}

function make(small: string, run: string): void {
  // Of what moves with the steps nothing is left, so that repeated rows are those of a run, and `verify` agrees with them.
  const rate = 'train.optimizer.learningRate={"peak":3e-5,"warmUpSteps":0,"decay":"constant","finalFraction":1}';
  const still = ["train.budget=null", 'train.prices={"tokens":0.005}', rate];
  const settings = ["train.steps=3", "train.evaluation.problems=50", ...still];
  const words = ["train", "preset:relay-quickstart", ...settings, "--device=wasm"];
  execFileSync(process.execPath, [laconic, ...words, "--run", small], { stdio: "ignore" });
  const since = performance.now();
  const made = enlarge(small, run);
  report({ what: "made", seconds: seconds(since), ...made });
}

async function measureAll(runs: string): Promise<void> {
  const run = join(runs, "long");
  const { train } = JSON.parse(readFileSync(join(run, runFiles.config), "utf8")) as { train: { steps: number } };
  const more = (steps: number): string[] => ["train", "--resume", "--run", run, `train.steps=${train.steps + steps}`];
  await measureCommand("resume, TensorBoard told anew", more(1));
  await measureCommand("resume", more(2));
  await measureView(runs);
  await measureCommand("report", ["report", run]);
  await measureCommand("verify", ["verify", run]);
}

function report(row: Record<string, unknown>): void {
  printRow(out, { bench: "long-run", machine: machine(), gigabytes: Number(gigabytes), ...row });
}

function seconds(since: number): number {
  return Math.round(performance.now() - since) / 1000;
}

/** Rows and episodes as a trainer leaves them, in parts that end at the same steps. */
function enlarge(small: string, run: string): { readonly steps: number; readonly bytes: number } {
  cpSync(small, run, { recursive: true });
  mkdirSync(join(run, runFiles.parts));
  const rowsOf = (name: string): string[] => readFileSync(join(small, name), "utf8").trimEnd().split("\n");
  const rows = { [runFiles.metrics]: rowsOf(runFiles.metrics), [runFiles.timing]: rowsOf(runFiles.timing) };
  const evaluation = rowsOf(runFiles.evaluations).at(-1) as string;
  const kinds = membersOf(join(small, runFiles.episodes));
  const of = (line: string, step: number): string => `${line.replace(/"step":\d+/u, `"step":${step}`)}\n`;
  const evaluations: string[] = [of(evaluation, 0)];
  let [step, total] = [0, 0];
  while (total < Number(gigabytes) * 1e9) {
    const first = step === 0 ? 0 : step + 1;
    const draft = join(run, runFiles.parts, "draft");
    const file = openSync(draft, "w");
    let bytes = 0;
    const texts: Record<string, string[]> = { [runFiles.metrics]: [], [runFiles.timing]: [] };
    while (bytes < partBytes || step % 20 !== 0) {
      step += 1;
      bytes += writeSync(file, stepped(kinds.step[(step - 1) % kinds.step.length] as Buffer, step));
      for (const [name, lines] of Object.entries(rows))
        texts[name]?.push(of(lines[(step - 1) % lines.length] as string, step));
      if (step % 1000 !== 0) continue;
      bytes += writeSync(file, stepped(kinds.evaluation, step));
      evaluations.push(of(evaluation, step));
    }
    closeSync(file);
    renameSync(draft, join(run, tracePartName(runFiles.episodes, first, step, true)));
    for (const [name, lines] of Object.entries(texts)) {
      const packed = packedRows(lines, step);
      writeFileSync(join(run, tracePartName(name, first, step, true)), packed);
      total += packed.length;
    }
    total += bytes;
  }
  for (const name of [runFiles.metrics, runFiles.timing, runFiles.episodes]) rmSync(join(run, name));
  writeFileSync(join(run, runFiles.evaluations), evaluations.join(""));
  moveCheckpoint(run, step);
  // Steps are a setting that a resumed run may bring otherwise: the manifest keeps those of the beginning.
  const config = join(run, runFiles.config);
  writeFileSync(config, readFileSync(config, "utf8").replace(/"steps": 3\b/u, `"steps": ${step}`));
  return { steps: step, bytes: total };
}

/** Members of the small run: of its steps, and of its last evaluation. */
function membersOf(file: string): { readonly step: readonly Buffer[]; readonly evaluation: Buffer } {
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  const packed = (line: string, kind: "step" | "evaluation"): Buffer =>
    Buffer.from(gzipMember(gzipSync(`${line}\n`), { step: 0, kind, version: recordVersion, isComplete: true }));
  const of = (kind: "step" | "evaluation"): Buffer[] =>
    lines.filter((line) => line.includes(`"kind":"${kind}"`)).map((line) => packed(line, kind));
  return { step: of("step"), evaluation: of("evaluation").at(-1) as Buffer };
}

/** The head says the step behind 16 bytes of signature and four of length. */
function stepped(member: Buffer, step: number): Buffer {
  member.writeUInt32LE(step, 20);
  return member;
}

function packedRows(lines: readonly string[], last: number): Buffer {
  const members: Uint8Array[] = [];
  for (let i = 0; i < lines.length;) {
    let bytes = 0;
    const from = i;
    while (i < lines.length && bytes < 1 << 20) bytes += (lines[i++] as string).length;
    const head = { step: last - lines.length + i, kind: "step", version: recordVersion, isComplete: true } as const;
    members.push(gzipMember(gzipSync(lines.slice(from, i).join("")), head));
  }
  return Buffer.concat(members);
}

/** The small run's last checkpoint as one of this step, which saw the rows that are in no part. */
function moveCheckpoint(run: string, step: number): void {
  const checkpoints = join(run, runFiles.checkpoints);
  const nameOf = (at: number): string => `step-${String(at).padStart(8, "0")}`;
  const place = join(checkpoints, nameOf(step));
  renameSync(join(checkpoints, nameOf(3)), place);
  for (const name of readdirSync(checkpoints))
    if (name.startsWith("step-") && name !== nameOf(step)) rmSync(join(checkpoints, name), { recursive: true });
  const state = readFileSync(join(place, "state.json"), "utf8").replace(/"step": 3\b/u, `"step": ${step}`);
  writeFileSync(join(place, "state.json"), state);
  const digest = (path: string): object => {
    const content = readFileSync(path);
    return { bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
  };
  const manifest = JSON.parse(readFileSync(join(place, "manifest.json"), "utf8")) as {
    step: number;
    files: Record<string, object>;
    traces: Record<string, object>;
  };
  Object.assign(manifest, { step, traces: { [runFiles.evaluations]: digest(join(run, runFiles.evaluations)) } });
  manifest.files["state.json"] = digest(join(place, "state.json"));
  writeFileSync(join(place, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(checkpoints, "LATEST"), `${nameOf(step)}\n`);
}

/** Highest resident megabytes of a process; null where Linux does not say. */
function peakMegabytes(pid: number): number | null {
  try {
    const { kb } = /VmHWM:\s+(?<kb>\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.groups ?? {};
    return kb === undefined ? null : Math.round(Number(kb) / 1024); // a process that has ended says nothing
  } catch {
    return null;
  }
}

/** A command to its end: seconds, and memory at its highest, looked at ten times a second. */
async function measureCommand(what: string, words: readonly string[]): Promise<void> {
  const since = performance.now();
  const child = spawn(process.execPath, [laconic, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  let [said, peak] = ["", 0];
  child.stderr.on("data", (piece: Buffer) => (said = (said + piece.toString()).slice(-1000)));
  const timer = setInterval(() => (peak = Math.max(peak, peakMegabytes(child.pid as number) ?? 0)), 100);
  const [code] = (await once(child, "close")) as [number];
  clearInterval(timer);
  report({ what, code, seconds: seconds(since), peakMegabytes: peak, ...(code > 1 && { said }) });
}

/** A dashboard that listens, and the seconds until it did. */
async function openView(runs: string): Promise<{ child: ChildProcess; address: string; listening: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, [laconic, "view", runs, "--port", "0", "--no-open"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  let said = "";
  const address = await new Promise<string>((resolve, reject) => {
    const hear = (piece: Buffer): void => {
      said += piece.toString();
      const [found] = /http:\/\/127\.0\.0\.1:\d+/u.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", () => reject(new Error(said)));
  });
  return { child, address, listening: seconds(started) };
}

async function closeView(child: ChildProcess): Promise<void> {
  child.kill("SIGINT");
  await once(child, "exit");
}

/** From the start of the server on, and in a tab: what is painted first, and when all of the run is read. */
async function measureView(runs: string): Promise<void> {
  await closeView((await openView(folder)).child); // a checkout builds its pages once
  const { child, address, listening } = await openView(runs);
  const ask = async (path: string): Promise<{ readonly seconds: number; readonly body: string }> => {
    const since = performance.now();
    const body = await (await fetch(`${address}${path}`)).text();
    return { seconds: seconds(since), body };
  };
  const list = await ask("/api/runs");
  const [{ id }] = JSON.parse(list.body) as [{ readonly id: string }];
  const browser = await chromium.launch({ executablePath: process.env["LACONIC_CHROMIUM"] ?? "/usr/bin/chromium" });
  const page = await browser.newPage();
  const before = await now();
  const opening = performance.now();
  await page.goto(`${address}/dashboard/#/run/${id}`);
  await page.getByText("conversations").first().waitFor();
  const overview = seconds(opening);
  const processor = (await now()).processor - before.processor;
  const painted = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
  );
  const turning = performance.now();
  await page
    .getByRole("link", { name: "Curves", exact: true })
    .or(page.getByRole("tab", { name: "Curves" }))
    .first()
    .click();
  await page.locator("svg path[stroke], canvas").first().waitFor({ timeout: 60_000 });
  const curves = seconds(turning);
  const detail = await ask(`/api/runs/${id}`);
  const episodes = await ask(`/api/runs/${id}/episodes?limit=50`);
  const early = await ask(`/api/runs/${id}/episodes/s1.0`);
  await browser.close();
  report({
    what: "view",
    listening,
    listSeconds: list.seconds,
    firstPaintSeconds: Math.round(painted) / 1000,
    overviewSeconds: overview,
    overviewProcessorSeconds: processor,
    curvesSeconds: curves,
    detailSeconds: detail.seconds,
    episodesSeconds: episodes.seconds,
    firstEpisodeOfRunSeconds: early.seconds,
    isFound: early.body.includes('"turns"'),
    peakMegabytes: peakMegabytes(child.pid as number),
  });
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  report({ what: "view after a minute", peakMegabytes: peakMegabytes(child.pid as number) });
  await closeView(child);
}
