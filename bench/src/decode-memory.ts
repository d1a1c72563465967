// Memory of decoding: how many requests of a 0.5B model's cache geometry decode at once in 6 GB (three quarters of 8 GB
// free), what a prompt of 16,384 tokens takes beside transformers on PyTorch, and how far the sampler's log-probs are from
// the trainer's in bfloat16. Needs Linux, and Python with transformers: LACONIC_PYTHON or .venv.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFromSeed, type SampleRequest, type TrainableModel } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import type { Kernels } from "@laconic/kernels";
import { createKernels } from "@laconic/kernels-torch";
import { machine, print } from "./measure.ts";
import { whyFailed } from "./why-failed.ts";

const root = join(import.meta.dirname, "../..");
const threads = 1;
const [promptTokens, replyTokens] = [64, Number(process.env["REPLY_TOKENS"] ?? 16)];

const small = {
  architectures: ["Qwen2ForCausalLM"],
  model_type: "qwen2",
  vocab_size: 64,
  hidden_size: 64,
  intermediate_size: 192,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 20_000,
  rms_norm_eps: 1e-6,
  rope_theta: 10_000,
  tie_word_embeddings: true,
  initializer_range: 0.1,
};

const parts: Readonly<Record<string, () => Promise<void>>> = { requests, prompt, bfloat16 };

const [only] = process.argv.slice(2);
if (only !== undefined) await parts[only]?.();
else {
  print("machine", machine());
  // A process each: what one leaves behind is not counted in another.
  for (const name of Object.keys(parts))
    spawnSync(process.execPath, [...process.execArgv, import.meta.filename, name], { stdio: "inherit" });
}

/** 24 layers of 2 heads of 64, next to no weights; replies may take 2,048 positions, and end early. */
async function requests(): Promise<void> {
  const config = {
    ...small,
    hidden_size: 16,
    intermediate_size: 16,
    num_hidden_layers: 24,
    num_attention_heads: 2,
    head_dim: 64,
    max_position_embeddings: 2048,
  };
  const kernels = await createKernels({ device: "cpu", threads });
  let most = 0;
  const counting: Kernels = {
    ...kernels,
    sampleTokens(logits, rows) {
      most = Math.max(most, logits.shape[0] as number);
      return kernels.sampleTokens(logits, rows);
    },
  };
  const engine = await createInlineEngine([counting], { cacheBytes: 6e9 });
  const model = await engine.createModel({ kind: "config", config, seed: "bench" });
  const random = randomFromSeed("requests");
  const asked = Array.from({ length: 512 }, (_, i): SampleRequest => ({
    promptTokens: tokensOf(random.split(i).integer(2 ** 30), promptTokens),
    sampling: { temperature: 1, maxTokens: 2048 - promptTokens },
    stopTokens: [],
    random: random.split(`reply ${i}`).state(),
    signal: AbortSignal.timeout(2 ** 30),
  }));
  // A reply ends when its caller has heard enough: the engine has to plan for all 2,048 positions.
  const ends = asked.map(() => new AbortController());
  const heard = asked.map(() => 0);
  const start = process.cpuUsage();
  const results = await model.sample(
    asked.map((request, i) => ({ ...request, signal: (ends[i] as AbortController).signal })),
    (place) => {
      heard[place] = (heard[place] as number) + 1;
      if (heard[place] === replyTokens) (ends[place] as AbortController).abort();
    },
  );
  print("requests decoding at once", {
    requests: asked.length,
    decoding: most,
    tokens: results.reduce((sum, { tokens }) => sum + tokens.length, 0),
    cpuSeconds: cpuSeconds(start),
    peakBytes: memoryOf("VmHWM"),
  });
  await engine.close();
}

async function prompt(): Promise<void> {
  const kernels = await createKernels({ device: "cpu", threads });
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config: small, seed: "bench" });
  const tokens = tokensOf(1, 16_384);
  const run = (length: number): Promise<unknown> => model.sample([requestOf(tokens.slice(0, length), 1, 0)]);
  await run(512);
  writeFileSync("/proc/self/clear_refs", "5");
  const [before, start] = [memoryOf("VmRSS"), process.cpuUsage()];
  await run(tokens.length);
  const own = { cpuSeconds: cpuSeconds(start), addedBytes: memoryOf("VmHWM") - before };
  const peer = await beside(model, { kind: "prompt", tokens });
  await engine.close();
  print("16k prompt", {
    own,
    peer,
    ...(peer && {
      cpu: own.cpuSeconds / (peer["cpuSeconds"] as number),
      memory: own.addedBytes / (peer["addedBytes"] as number),
    }),
  });
}

async function bfloat16(): Promise<void> {
  const kernels = await createKernels({ device: "cpu", dtype: "bfloat16", threads });
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config: { ...small, head_dim: 32 }, seed: "bench" });
  const asked = Array.from({ length: 16 }, (_, i) => requestOf(tokensOf(i, 100 + 20 * i), 60, i));
  const sampled = await model.sample(asked);
  const sequences = sampled.map((each) => ({ promptTokens: each.promptTokens, completionTokens: each.tokens }));
  const { logProbs } = await model.forward(sequences);
  const said = sampled.flatMap((each) => each.logProbs);
  const meanDifference =
    said.reduce((sum, value, i) => sum + Math.abs(value - (logProbs.values[i] as number)), 0) / said.length;
  const peer = await beside(model, {
    kind: "bfloat16",
    sequences: sequences.map((each) => [each.promptTokens, each.completionTokens]),
  });
  await engine.close();
  print("bfloat16, sampler and trainer", {
    meanDifference,
    peer,
    ...(peer && { ratio: meanDifference / (peer["meanDifference"] as number) }),
  });
}

function requestOf(tokens: readonly number[], maxTokens: number, seed: number): SampleRequest {
  return {
    promptTokens: tokens,
    sampling: { temperature: 1, maxTokens },
    stopTokens: [],
    random: randomFromSeed(seed).state(),
  };
}

function tokensOf(seed: number, length: number): number[] {
  const random = randomFromSeed(seed);
  return Array.from({ length }, () => random.integer(small.vocab_size));
}

function cpuSeconds(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

/** Of this process, in bytes. */
function memoryOf(name: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync("/proc/self/status", "utf8"));
  return 1024 * Number(found?.[1]);
}

/** The same work by transformers; null without it. */
async function beside(
  model: TrainableModel,
  job: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>> | null> {
  const python = process.env["LACONIC_PYTHON"] ?? join(root, ".venv/bin/python");
  if (!existsSync(python)) return null;
  const checkpoint = await mkdtemp(join(tmpdir(), "laconic-bench-"));
  try {
    await model.save(checkpoint);
    const { status, stdout, stderr } = spawnSync(python, [join(root, "bench/peers/cached_forward.py")], {
      input: JSON.stringify({ ...job, checkpoint, threads }),
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    if (status !== 0) return { failed: whyFailed(stderr) };
    return JSON.parse(stdout.trim().split("\n").at(-1) as string) as Record<string, unknown>;
  } finally {
    await rm(checkpoint, { recursive: true });
  }
}
