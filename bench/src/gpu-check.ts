// What a GPU machine has to show, in one call: devices, conformance, primitive timings, a Qwen2.5-0.5B-shaped model beside a
// plain PyTorch loop, and the quickstart. Writes gpu-<name>.json and gpu-<name>.md.
//   npm run gpu:check -- [--device cuda] [--out docs/benchmarks] [--small]
// --small is a dry run with a tiny model, for machines without a GPU: --device cpu --small.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { randomFromSeed, type SampleRequest, type TrainableModel } from "@laconic/core";
import { createInlineEngine, createLocalEngine } from "@laconic/engine";
import type { Kernels, Tensor } from "@laconic/kernels";
import { kernelCases } from "@laconic/kernels/testing";
import { engineCases } from "@laconic/engine/testing";
import { createKernels, findTorch, torchKernels } from "@laconic/kernels-torch";
import { machine, print } from "./measure.ts";

const root = join(import.meta.dirname, "../..");
const { values: flags } = parseArgs({
  options: {
    device: { type: "string", default: "cuda" },
    out: { type: "string", default: join(root, "docs/benchmarks") },
    small: { type: "boolean", default: false },
  },
});
const device = flags.device === "cpu" ? "cpu" : "cuda";
const dtype = device === "cuda" ? "bfloat16" : "float32";
const results: Record<string, unknown>[] = [];
const note = (section: string, result: Record<string, unknown>): void => {
  results.push({ section, ...result });
  print(section, result);
};

/** Dense bfloat16 peak by card, TFLOP/s, from NVIDIA's data sheets. */
const peaks: Readonly<Record<string, number>> = { H200: 989, H100: 989, A100: 312, L40S: 362, "4090": 165 };
const gpu = device === "cuda" ? query("name") : "cpu";
const peak = Object.entries(peaks).find(([name]) => gpu.includes(name))?.[1] ?? null;

const qwen = {
  architectures: ["Qwen2ForCausalLM"],
  model_type: "qwen2",
  ...(flags.small
    ? { vocab_size: 512, hidden_size: 64, intermediate_size: 192, num_hidden_layers: 2 }
    : { vocab_size: 151_936, hidden_size: 896, intermediate_size: 4864, num_hidden_layers: 24 }),
  ...(flags.small ? { num_attention_heads: 4 } : { num_attention_heads: 14 }),
  ...{ num_key_value_heads: 2, max_position_embeddings: 4096, rms_norm_eps: 1e-6, rope_theta: 1_000_000 },
  ...{ tie_word_embeddings: true, initializer_range: 0.02 },
};
const update = flags.small ? { sequences: 4, tokens: 64 } : { sequences: 16, tokens: 1024 };
const decode = flags.small ? { rows: [4], prompt: 16, tokens: 16 } : { rows: [64, 256], prompt: 64, tokens: 128 };

mkdirSync(flags.out, { recursive: true });
note("machine", { ...machine(), gpu, ...torchFacts(), peakTflops: peak });
await attempt("conformance", conformance);
await attempt("primitives", primitives);
await attempt("model", model);
await attempt("peer", async () => peer());
await attempt("quickstart", async () => quickstart());
write();

/** A section that fails is a result too: the others still run. */
async function attempt(section: string, body: () => Promise<void>): Promise<void> {
  const start = performance.now();
  try {
    await body();
  } catch (error) {
    note(section, { failed: error instanceof Error ? error.message : String(error) });
  }
  note("time", { of: section, seconds: (performance.now() - start) / 1000 });
}

async function conformance(): Promise<void> {
  for (const precision of ["float32", "bfloat16"] as const) {
    const kernels = await createKernels({ device, dtype: precision });
    await runCases(`kernels, ${precision}`, kernels.backend, kernelCases, async () => kernels);
    kernels.dispose();
  }
  await runCases("engine, float32", device, engineCases, async () =>
    createInlineEngine([await createKernels({ device })]),
  );
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
  note("conformance", { suite, backend, passed: cases.length - failures.length, failed: failures.length, failures });
}

async function primitives(): Promise<void> {
  const kernels = await createKernels({ device, dtype });
  const size = flags.small ? 256 : 8192;
  const wave = (rows: number, columns: number): Tensor =>
    kernels.upload(
      Float32Array.from({ length: rows * columns }, (_, i) => ((i * 7919) % 255) / 255 - 0.5),
      [rows, columns],
    );
  const tiny = wave(8, 8);
  const calls = 2000;
  const host = await timed(kernels, tiny, 1, () => {
    for (let i = 0; i < calls; i++) kernels.free(kernels.add(tiny, tiny));
  });
  note("primitives", { what: "add of [8, 8], host and device", microseconds: (1000 * host) / calls });

  const [x, weight] = [wave(size, size), wave(size, size)];
  const runs = 10;
  const product = await timed(kernels, tiny, runs, () => kernels.free(kernels.linear(x, weight)));
  note("primitives", { what: `linear ${size}^3, ${dtype}`, ms: product, tflops: (2 * size ** 3) / product / 1e9 });

  const [sequences, length] = flags.small ? [2, 64] : [16, 1024];
  const shape = { queryHeads: 14, kvHeads: 2, headDim: 64, scale: 0.125 };
  const rows = sequences * length;
  const offsets = Int32Array.from({ length: sequences + 1 }, (_, s) => s * length);
  const layout = { offsets, offsetsOnDevice: kernels.upload(offsets, [offsets.length]), longest: length };
  const [q, k, v] = [wave(rows, 896), wave(rows, 128), wave(rows, 128)];
  const forward = kernels.attention(q, k, v, shape, layout);
  const forwardMs = await timed(kernels, tiny, runs, () => {
    const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
    kernels.free(out, logSumExp);
  });
  const backwardMs = await timed(kernels, tiny, runs, () => {
    const { dQ, dK, dV } = kernels.attentionBackward(q, { q, k, v, ...forward }, shape, layout);
    kernels.free(dQ, dK, dV);
  });
  note("primitives", {
    what: `causal attention, ${sequences} x ${length}, 14 on 2 heads of 64`,
    forwardMs,
    backwardMs,
  });

  const [param, grad] = [wave(size, size), kernels.zeros([size, size], "full")];
  const moments = {
    first: kernels.zeros([size, size], "full"),
    second: kernels.zeros([size, size], "full"),
    ...(dtype === "bfloat16" && { master: kernels.copy(param, "full") }),
  };
  const step = { learningRate: 1e-6, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, step: 1 };
  const adamMs = await timed(kernels, tiny, runs, () => kernels.adamW([{ param, grad, ...moments }], step));
  note("primitives", { what: `AdamW on ${size * size} parameters`, ms: adamMs });
  kernels.dispose();
}

/** Milliseconds per call; reading one tensor waits for the device. */
async function timed(kernels: Kernels, tensor: Tensor, runs: number, body: () => void): Promise<number> {
  body();
  await kernels.read(tensor);
  const start = performance.now();
  for (let i = 0; i < runs; i++) body();
  // The stream runs in order: an operation after the last one is done when that one is.
  const last = kernels.add(tensor, tensor);
  await kernels.read(last);
  kernels.free(last);
  return (performance.now() - start) / runs;
}

async function model(): Promise<void> {
  const engine = await createLocalEngine({
    device: torchKernels({ device, dtype }),
    maxTokensPerMicroBatch: update.sequences * update.tokens,
    recompute: "none",
  });
  try {
    const start = performance.now();
    const opened = await engine.createModel({ kind: "config", config: qwen, seed: "gpu" });
    note("model", { parameters: opened.parameters, openSeconds: (performance.now() - start) / 1000, ...memory() });
    await measureUpdate(opened);
    for (const rows of decode.rows) await measureDecode(opened, rows);
  } finally {
    await engine.close();
  }
}

async function measureUpdate(opened: TrainableModel): Promise<void> {
  const random = randomFromSeed("update");
  const tokens = (count: number): number[] => Array.from({ length: count }, () => random.integer(qwen.vocab_size));
  const sequences = Array.from({ length: update.sequences }, () => ({
    promptTokens: tokens(1),
    completionTokens: tokens(update.tokens - 1),
  }));
  const step = async (): Promise<void> => {
    await opened.forwardBackward(sequences, ({ values }) => new Float64Array(values.length).fill(-1 / values.length));
    const settings = { learningRate: 1e-6, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
    await opened.optimStep(settings);
  };
  await step();
  const steps = 5;
  const start = performance.now();
  for (let i = 0; i < steps; i++) await step();
  const seconds = (performance.now() - start) / 1000 / steps;
  const tokensPerSecond = (update.sequences * update.tokens) / seconds;
  const tflops = (6 * opened.parameters * tokensPerSecond) / 1e12;
  note("update", {
    ...update,
    seconds,
    tokensPerSecond,
    tflops,
    mfu: peak === null ? null : tflops / peak,
    ...memory(),
  });
}

async function measureDecode(opened: TrainableModel, rows: number): Promise<void> {
  const random = randomFromSeed("decode");
  const requests = Array.from({ length: rows }, (_, row): SampleRequest => ({
    promptTokens: Array.from({ length: decode.prompt }, () => random.integer(qwen.vocab_size)),
    sampling: { temperature: 1, maxTokens: decode.tokens },
    stopTokens: [],
    random: random.split(row).state(),
  }));
  await opened.sample(requests.map((request) => ({ ...request, sampling: { temperature: 1, maxTokens: 4 } })));
  const start = performance.now();
  await opened.sample(requests);
  const seconds = (performance.now() - start) / 1000;
  note("decode", {
    rows,
    prompt: decode.prompt,
    tokens: decode.tokens,
    seconds,
    tokensPerSecond: (rows * decode.tokens) / seconds,
    ...memory(),
  });
}

function peer(): void {
  const job = { config: qwen, device, dtype, update, decode };
  const python = process.env["LACONIC_PYTHON"] ?? "python3";
  const { status, stdout, stderr } = spawnSync(python, [join(import.meta.dirname, "../peers/torch_loop.py")], {
    input: JSON.stringify(job),
    encoding: "utf8",
    timeout: 300_000,
  });
  if (status !== 0) return note("peer", { failed: (stderr ?? "").split("\n").slice(-4).join(" ") });
  for (const line of stdout.trim().split("\n")) note("peer", JSON.parse(line) as Record<string, unknown>);
}

function quickstart(): void {
  const entry = join(fileURLToPath(import.meta.resolve("laconic/package.json")), "../assets/laconic.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, "quickstart", "--device", device, "--json"], {
    encoding: "utf8",
    timeout: 240_000,
    cwd: flags.out,
  });
  const last = stdout.trim().split("\n").at(-1) ?? "";
  note("quickstart", status === 0 ? { result: last } : { failed: stderr.split("\n").slice(-3).join(" ") });
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
    const { version, folder } = findTorch();
    return { torch: version, folder, driver: device === "cuda" ? query("driver_version") : null };
  } catch (error) {
    return { torch: error instanceof Error ? error.message : String(error) };
  }
}

function write(): void {
  const name = `gpu-${gpu.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
  writeFileSync(join(flags.out, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
  const lines = results.map(({ section, ...facts }) => {
    const cells = Object.entries(facts).map(([key, value]) => `${key} ${shown(value)}`);
    return `| ${String(section)} | ${cells.join(", ").replaceAll("|", "\\|")} |`;
  });
  const text = [
    `# ${gpu}`,
    "",
    "`npm run gpu:check` wrote this page and the JSON beside it.",
    "",
    "| section | result |",
    "| --- | --- |",
    ...lines,
    "",
  ];
  writeFileSync(join(flags.out, `${name}.md`), text.join("\n"));
  print("written", { json: join(flags.out, `${name}.json`) });
}

function shown(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toPrecision(4);
  return typeof value === "string" ? value : JSON.stringify(value);
}
