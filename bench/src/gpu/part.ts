// Runs one part of gpu-check.ts and prints its rows. `bits` prints one hash of an update's and of replies' bits.
//   part.ts PART DEVICE full|small FOLDER [DETERMINISTIC]
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { thrownText, type TrainableModel } from "@laconic/core";
import { createInlineEngine, createLocalEngine } from "@laconic/engine";
import { engineCasesFor, wholeProfile } from "@laconic/engine/testing";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { createKernels, findTorch, torchKernels } from "@laconic/kernels-torch";
import { cardNames, cards } from "@laconic/runtime/devices";
import { machine, print } from "../measure.ts";
import { lastOf, peer as runPeer, run, runOurs, type Ran } from "../processes.ts";
import { halfBillion, parityTokens, small } from "./geometry.ts";
import { compareWithPeer } from "./parity.ts";
import { decodeRequests, nanoRequests, updateOf } from "./work.ts";

type Arguments = [part: string, device: "cpu" | "cuda", size: string, work: string, deterministic?: string];
const [part, device, size, work, deterministic] = process.argv.slice(2) as Arguments;
const parts = { peer, conformance, twice, bits, speed, parity, nano, vllm, trl, quickstart };
const laconic = join(fileURLToPath(import.meta.resolve("@laconic/cli/package.json")), "../assets/laconic.mjs");
const dtype = device === "cuda" ? "bfloat16" : "float32";
const isSmall = size === "small";
const job = isSmall ? small : halfBillion;
const checkpoint = join(work, "model");

const gpu = device === "cuda" ? query("name") : "cpu";
const card = cardNames.find((name) => new RegExp(`\\b${name}\\b`, "u").test(gpu.toLowerCase().replaceAll(" ", "-")));
const peak = card ? cards[card].tflops : null;

print("machine", { ...machine(), gpu, ...torchFacts(), peakTflops: peak });
try {
  await parts[part as keyof typeof parts]();
} catch (error) {
  print(part, { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

/** Runs alone on the GPU; writes the checkpoint for our loop. */
function peer(): void {
  const input = { ...job, device, dtype, checkpoint, tokens: parityTokens(job) };
  keep("peer", runPeer("torch_loop.py", input, { timeoutMs: 300_000 }));
}

function keep(name: string, { printed, failed }: Ran): void {
  for (const facts of printed) print(name, facts);
  if (failed !== null) print(name, { failed });
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
  print("conformance", { suite, backend, passed: cases.length - failed, failed, failures });
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
    print("model", { backend, dtype: precision, parameters: model.parameters, openSeconds, ...memory() });
    await body(model, backend);
  } finally {
    await engine.close();
  }
}

async function parity(): Promise<void> {
  for (const precision of new Set(["float32", dtype] as const))
    await withModel(precision, async (model) =>
      print("parity", { dtype: precision, ...(await compareWithPeer(model, job, checkpoint)) }),
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
  print("update", { ...job.update, ...facts, seconds, tokensPerSecond, tflops, mfu: share, ...memory() });
}

async function measureDecode(opened: TrainableModel, rows: number): Promise<void> {
  const { prompt, tokens } = job.decode;
  const requests = decodeRequests(job, rows);
  await opened.sample(requests.map((request) => ({ ...request, sampling: { temperature: 1, maxTokens: 4 } })));
  const start = performance.now();
  await opened.sample(requests);
  const seconds = (performance.now() - start) / 1000;
  const stepMs = (1000 * seconds) / tokens;
  print("decode", { rows, prompt, tokens, seconds, stepMs, tokensPerSecond: (rows * tokens) / seconds });
}

function twice(): void {
  for (const isForced of [false, true]) {
    const words = ["bits", device, size, work, String(isForced && device === "cuda")];
    const results = [0, 1].map(() => lastOf(runOurs("gpu/part.ts", words, { timeoutMs: 60_000 })));
    const failure = results.find((result) => "failed" in result);
    const [first, second] = results.map((result) => result["bits"]);
    print("twice", { deterministic: isForced, ...(failure ?? { same: first === second, bits: [first, second] }) });
  }
}

async function bits(): Promise<void> {
  // Two layers of the true width: the order of sums does not depend on the depth.
  const shallow = { ...job, config: { ...job.config, num_hidden_layers: 2 } };
  const kernels = await createKernels({ device, dtype, ...(deterministic === "true" && { deterministic: true }) });
  const engine = await createInlineEngine([kernels], { maxTokensPerMicroBatch: 4096 });
  const model = await engine.createModel({ kind: "config", config: shallow.config, seed: "bits" });
  const update = updateOf(model, shallow);
  for (let step = 0; step < 3; step++) await update();
  const hash = createHash("sha256");
  for (const { tokens, logProbs } of await model.sample(decodeRequests(shallow, 4)))
    hash.update(Int32Array.from(tokens)).update(Float64Array.from(logProbs));
  print("bits", { bits: hash.digest("hex").slice(0, 16), backend: kernels.backend });
  await engine.close();
}

async function nano(): Promise<void> {
  const requests = nanoRequests(job, isSmall);
  await withModel(dtype, async (model) => {
    await model.sample(requests.slice(0, 4).map((each) => ({ ...each, sampling: { ...each.sampling, maxTokens: 4 } })));
    const start = performance.now();
    const replies = await model.sample(requests);
    const seconds = (performance.now() - start) / 1000;
    const tokens = replies.reduce((sum, reply) => sum + reply.tokens.length, 0);
    print("nano", { sequences: requests.length, tokens, seconds, tokensPerSecond: tokens / seconds });
  });
}

function vllm(): void {
  const requests = nanoRequests(job, isSmall);
  const prompts = requests.map(({ promptTokens }) => promptTokens);
  const lengths = requests.map(({ sampling }) => sampling.maxTokens);
  keep("vllm", runPeer("vllm_lengths.py", { checkpoint, dtype, prompts, lengths }, { timeoutMs: 110_000 }));
}

function trl(): void {
  const vocabulary = Number(job.config["vocab_size"]);
  const requests = decodeRequests(job, isSmall ? 2 : 8);
  const prompts = requests.map(({ promptTokens }) => promptTokens.map((token) => token % 6000));
  const sizes = { generations: isSmall ? 2 : 8, maxTokens: job.decode.tokens, warmUp: 1, steps: 2, threads: 2 };
  const input = { checkpoint, vocabulary, prompts, ...sizes, learningRate: 1e-6, device, dtype };
  const ran = runPeer("trl_step.py", input, { timeoutMs: 85_000 });
  if (ran.failed !== null && /No module named/u.test(ran.failed)) print("trl", { skipped: ran.failed });
  else keep("trl", ran);
}

function quickstart(): void {
  const start = performance.now();
  const words = [laconic, "quickstart", "--device", device, "--json"];
  const result = lastOf(run(process.execPath, words, { timeoutMs: 240_000, cwd: work }));
  const seconds = (performance.now() - start) / 1000;
  print("quickstart", "failed" in result ? result : { seconds, result: JSON.stringify(result) });
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
