// Checks a GPU machine in one call: a plain PyTorch loop at Qwen2.5-0.5B's shape, devices, conformance, parity, our
// loop, and the quickstart. Writes gpu-<name>.json and gpu-<name>.md.
//   npm run gpu:check -- [--device cuda] [--out docs/benchmarks] [--small] [--sections peer,conformance,...]
//   npm run gpu:check -- --all [--minutes 8] [--skip vllm,...] [--again]
// --small uses a tiny model, for machines without a GPU: --device cpu --small. --all runs every part with a time limit,
// eight minutes in total. A later call resumes. Writes gpu-all.md.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { thrownText, type TrainableModel } from "@laconic/core";
import { createInlineEngine, createLocalEngine } from "@laconic/engine";
import { engineCasesFor, wholeProfile } from "@laconic/engine/testing";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { createKernels, findTorch, torchKernels } from "@laconic/kernels-torch";
import { cardNames, cards } from "@laconic/runtime/devices";
import { halfBillion, parityTokens, small } from "./gpu/geometry.ts";
import { checkAll } from "./gpu/check-all.ts";
import { nanoRequests } from "./gpu/nano.ts";
import { compareWithPeer } from "./gpu/parity.ts";
import { Report } from "./gpu/report.ts";
import { decodeRequests, updateOf } from "./gpu/work.ts";
import { machine } from "./measure.ts";
import { lastOf, peer as runPeer, root, run, runOurs, type Ran } from "./processes.ts";
import { readOptions } from "./options.ts";

const laconic = join(fileURLToPath(import.meta.resolve("@laconic/cli/package.json")), "../assets/laconic.mjs");
const usual = { peer, conformance, parity, speed, quickstart };
const sections = { ...usual, twice, nano, vllm, trl };
const { values: flags } = readOptions({
  options: {
    device: { type: "string", default: "cuda" },
    out: { type: "string", default: join(root, "docs/benchmarks") },
    small: { type: "boolean", default: false },
    sections: { type: "string", default: Object.keys(usual).join() },
    all: { type: "boolean", default: false },
    skip: { type: "string", default: "" },
    again: { type: "boolean", default: false },
    minutes: { type: "string", default: "8" },
    work: { type: "string" },
  },
});
const device = flags.device === "cpu" ? "cpu" : "cuda";
if (flags.all) {
  const { out, again, minutes } = flags;
  const skip = flags.skip.split(",").filter((name) => name !== "");
  await checkAll({ device, small: flags.small, out, again, skip, minutes: Number(minutes) });
  process.exit(0);
}
const dtype = device === "cuda" ? "bfloat16" : "float32";
const job = flags.small ? small : halfBillion;
const report = new Report();

const gpu = device === "cuda" ? query("name") : "cpu";
const card = cardNames.find((name) => new RegExp(`\\b${name}\\b`, "u").test(gpu.toLowerCase().replaceAll(" ", "-")));
const peak = card ? cards[card].tflops : null;

mkdirSync(flags.out, { recursive: true });
const folder = flags.work ?? mkdtempSync(join(tmpdir(), "laconic-gpu-"));
const checkpoint = join(folder, "model");
try {
  report.note("machine", { ...machine(), gpu, ...torchFacts(), peakTflops: peak });
  for (const name of flags.sections.split(",")) {
    const section = (sections as Readonly<Record<string, () => Promise<void> | void>>)[name];
    if (!section) throw new Error(`unknown section ${name}; known: ${Object.keys(sections).join(", ")}`);
    await report.attempt(name, section);
  }
} finally {
  report.write(flags.out, gpu);
  if (flags.work === undefined) rmSync(folder, { recursive: true });
}

/** Runs alone on the GPU; writes the checkpoint for our loop. */
function peer(): void {
  const input = { ...job, device, dtype, checkpoint, tokens: parityTokens(job) };
  keep("peer", runPeer("torch_loop.py", input, { timeoutMs: 300_000 }));
}

function keep(
  section: string,
  ran: Ran,
  asNote: (facts: Record<string, unknown>) => Record<string, unknown> = (facts) => facts,
): void {
  for (const facts of ran.printed) report.note(section, asNote(facts));
  if (ran.failed !== null) report.note(section, { failed: ran.failed });
}

async function conformance(): Promise<void> {
  for (const precision of ["float32", "bfloat16"] as const) {
    const kernels = await createKernels({ device, dtype: precision });
    await runCases(`kernels, ${precision}`, kernels.backend, kernelCases, async () => kernels);
    kernels.dispose();
  }
  // GPU sums differ from run to run.
  const cases = engineCasesFor({ ...wholeProfile, ...(device === "cuda" && { digits: 4 }) });
  await runCases("engine, float32", device, cases, async () => createInlineEngine([await createKernels({ device })]));
}

async function runCases<T>(
  suite: string,
  backend: string,
  cases: readonly { readonly name: string; run(create: () => Promise<T>): Promise<void> }[],
  create: () => Promise<T>,
): Promise<void> {
  const failures: string[] = [];
  for (const item of cases)
    await item.run(create).catch((error: unknown) => failures.push(`${item.name}: ${String(error).slice(0, 300)}`));
  const failed = failures.length;
  report.note("conformance", { suite, backend, passed: cases.length - failed, failed, failures });
}

async function withModel(
  precision: "float32" | "bfloat16",
  body: (model: TrainableModel, backend: string) => Promise<void>,
): Promise<void> {
  const engine = await createLocalEngine({
    device: torchKernels({ device, dtype: precision }),
    maxTokensPerMicroBatch: job.update.sequences * job.update.tokens,
    recompute: "none",
  });
  try {
    const start = performance.now();
    const source = existsSync(checkpoint)
      ? ({ kind: "folder", path: checkpoint } as const)
      : ({ kind: "config", config: job.config, seed: "gpu" } as const);
    const model = await engine.createModel(source);
    const openSeconds = (performance.now() - start) / 1000;
    const { backend } = engine.capabilities;
    report.note("model", { backend, dtype: precision, parameters: model.parameters, openSeconds, ...memory() });
    await body(model, backend);
  } finally {
    await engine.close();
  }
}

async function parity(): Promise<void> {
  for (const precision of new Set(["float32", dtype] as const))
    await withModel(precision, async (model) =>
      report.note("parity", { dtype: precision, ...(await compareWithPeer(model, job, checkpoint)) }),
    );
}

async function speed(): Promise<void> {
  await withModel(dtype, async (model, backend) => {
    await measureUpdate(model, { backend });
    for (const rows of job.decode.rows) await measureDecode(model, rows);
  });
}

async function measureUpdate(opened: TrainableModel, facts: Record<string, unknown>): Promise<void> {
  const step = updateOf(opened, job);
  await step();
  const steps = 5;
  const start = performance.now();
  for (let i = 0; i < steps; i++) await step();
  const seconds = (performance.now() - start) / 1000 / steps;
  const tokensPerSecond = (job.update.sequences * job.update.tokens) / seconds;
  const tflops = (6 * opened.parameters * tokensPerSecond) / 1e12;
  const share = peak === null ? null : tflops / peak;
  report.note("update", { ...job.update, ...facts, seconds, tokensPerSecond, tflops, mfu: share, ...memory() });
}

async function measureDecode(opened: TrainableModel, rows: number): Promise<void> {
  const { prompt, tokens } = job.decode;
  const requests = decodeRequests(job, rows);
  await opened.sample(requests.map((request) => ({ ...request, sampling: { temperature: 1, maxTokens: 4 } })));
  const start = performance.now();
  await opened.sample(requests);
  const seconds = (performance.now() - start) / 1000;
  const stepMs = (1000 * seconds) / tokens;
  report.note("decode", { rows, prompt, tokens, seconds, stepMs, tokensPerSecond: (rows * tokens) / seconds });
}

function writtenJob(): string {
  const file = join(folder, "job.json");
  writeFileSync(file, JSON.stringify(job));
  return file;
}

function twice(): void {
  const jobFile = writtenJob();
  for (const deterministic of [false, true]) {
    const words = [jobFile, device, dtype, String(deterministic && device === "cuda")];
    const results = [0, 1].map(() => lastOf(runOurs("gpu/bits.ts", words, { timeoutMs: 60_000 })));
    const failure = results.find((result) => "failed" in result);
    const bits = results.map((result) => result["bits"]);
    report.note("twice", { deterministic, ...(failure ?? { same: bits[0] === bits[1], bits }) });
  }
}

async function nano(): Promise<void> {
  const requests = nanoRequests(Number(job.config["vocab_size"]), flags.small);
  await withModel(dtype, async (model) => {
    await model.sample(requests.slice(0, 4).map((each) => ({ ...each, sampling: { ...each.sampling, maxTokens: 4 } })));
    const start = performance.now();
    const replies = await model.sample(requests);
    const seconds = (performance.now() - start) / 1000;
    const tokens = replies.reduce((sum, reply) => sum + reply.tokens.length, 0);
    report.note("nano", { sequences: requests.length, tokens, seconds, tokensPerSecond: tokens / seconds });
  });
}

function vllm(): void {
  const requests = nanoRequests(Number(job.config["vocab_size"]), flags.small);
  const prompts = requests.map(({ promptTokens }) => promptTokens);
  const lengths = requests.map(({ sampling }) => sampling.maxTokens);
  keep("vllm", runPeer("vllm_lengths.py", { checkpoint, dtype, prompts, lengths }, { timeoutMs: 110_000 }));
}

function trl(): void {
  const vocabulary = Number(job.config["vocab_size"]);
  const requests = decodeRequests(job, flags.small ? 2 : 8);
  const prompts = requests.map(({ promptTokens }) => promptTokens.map((token) => token % 6000));
  const sizes = { generations: flags.small ? 2 : 8, maxTokens: job.decode.tokens, warmUp: 1, steps: 2, threads: 2 };
  const input = { checkpoint, vocabulary, prompts, ...sizes, learningRate: 1e-6, device, dtype };
  const ran = runPeer("trl_step.py", input, { timeoutMs: 85_000 });
  if (ran.failed !== null && /No module named/u.test(ran.failed)) report.note("trl", { skipped: ran.failed });
  else keep("trl", ran);
}

function quickstart(): void {
  const start = performance.now();
  const words = [laconic, "quickstart", "--device", device, "--json"];
  const result = lastOf(run(process.execPath, words, { timeoutMs: 240_000, cwd: folder }));
  const seconds = (performance.now() - start) / 1000;
  report.note("quickstart", "failed" in result ? result : { seconds, result: JSON.stringify(result) });
}

function query(field: string): string {
  try {
    const options = [`--query-gpu=${field}`, "--format=csv,noheader,nounits"];
    return execFileSync("nvidia-smi", options, { encoding: "utf8" }).split("\n")[0]?.trim() ?? "unknown";
  } catch {
    return "unknown";
  }
}

function memory(): Record<string, unknown> {
  return device === "cuda" ? { usedMiB: Number(query("memory.used")) } : {};
}

function torchFacts(): Record<string, unknown> {
  try {
    const { version, folder: found } = findTorch();
    return { torch: version, folder: found, driver: device === "cuda" ? query("driver_version") : null };
  } catch (error) {
    return { torch: thrownText(error) };
  }
}
