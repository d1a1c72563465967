import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { randomFromSeed, type SampleRequest } from "@laconic/core";
import { createInlineEngine } from "../../src/index.ts";
import type { Kernels } from "../../src/kernels/index.ts";
import { kernelCases } from "../../src/kernels/testing/index.ts";
import { conformanceOptimizer } from "../../src/testing/index.ts";
import { afterAll, describe, expect, test } from "vitest";
import { boardAt, line, word } from "../../assets/parts.mjs";
import { type HelperSetup, ThreadPool, type ThreadPoolOptions } from "../../src/wasm/thread-pool.ts";
import { openBinary, startHelper } from "../../src/wasm/platform/node.ts";
import { wasmKernelSet } from "../../src/wasm/wasm-kernels.ts";
import { WasmMemory } from "../../src/wasm/wasm-memory.ts";

// Node 20 has relaxed SIMD behind this.
setFlagsFromString("--experimental-wasm-relaxed-simd");

interface Opened {
  readonly kernels: Kernels;
  readonly pool: ThreadPool;
}

const opened: Kernels[] = [];
afterAll(() => opened.forEach((kernels) => kernels.dispose()));

async function open(
  threads: number,
  options: Partial<ThreadPoolOptions> & { readonly fma?: boolean } = {},
): Promise<Opened> {
  const { fma = false, ...others } = options;
  const memory = await WasmMemory.open(await openBinary(fma, {}), { fma, shared: threads > 1 });
  const pool = new ThreadPool(memory, { threads, start: startHelper, least: 0, ...others });
  const kernels = wasmKernelSet(memory, pool, fma);
  opened.push(kernels);
  return { kernels, pool };
}

function multiply({ kernels }: Opened): void {
  kernels.scope(() => void kernels.linear(kernels.zeros([600, 64]), kernels.zeros([64, 64])));
}

async function warm(of: Opened): Promise<void> {
  for (let i = 0; of.pool.helped < 20 && i < 2000; i++) {
    multiply(of);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(of.pool.helped).toBeGreaterThanOrEqual(20);
}

describe("three threads", async () => {
  const three = await open(3);
  for (const item of kernelCases) test(item.name, () => item.run(() => three.kernels));
  test("helpers took part", () => warm(three));
});

async function trained({ kernels }: Opened): Promise<readonly unknown[]> {
  const config = {
    model_type: "qwen2",
    architectures: ["Qwen2ForCausalLM"],
    hidden_size: 40,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 136,
    vocab_size: 301,
    max_position_embeddings: 256,
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    tie_word_embeddings: false,
  };
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config, seed: "threads" });
  const random = randomFromSeed("threads");
  const prompts = Array.from({ length: 5 }, (_, p) => Array.from({ length: 30 + 7 * p }, () => random.integer(301)));
  const results: unknown[] = [];
  for (let step = 0; step < 2; step++) {
    const samples = await model.sample(
      prompts.flatMap((promptTokens, p) =>
        Array.from({ length: 3 }, (_, i): SampleRequest => ({
          promptTokens,
          sampling: { temperature: 1, topP: 0.9, maxTokens: 24 },
          stopTokens: [],
          random: random.split(`${step} ${p} ${i}`).state(),
        })),
      ),
    );
    const batch = samples.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens }));
    const passed = await model.forwardBackward(batch, ({ values }) => values.map((_, t) => (t % 3) - 1));
    const { gradNorm } = await model.optimStep({ ...conformanceOptimizer, weightDecay: 0.1 });
    results.push(samples, passed, gradNorm, await model.forward(batch));
  }
  return results;
}

test.each([false, true])(
  "sampling and training have equal bits with one, two and five threads; fma %s",
  async (fma) => {
    const one = await trained(await open(1, { fma }));
    for (const threads of [2, 5]) {
      const more = await open(threads, { fma });
      await warm(more);
      const before = more.pool.helped;
      expect(await trained(more)).toEqual(one);
      expect(more.pool.helped).toBeGreaterThan(before);
    }
  },
);

test("does not wait for a helper that never starts", async () => {
  const alone = await open(4, { start: () => undefined });
  multiply(alone);
  expect(alone.pool.helped).toBe(0);
});

test("a failing function in a helper is a named error, then and later", async () => {
  const failing = await open(2, { start: (setup) => startHelper({ ...setup, names: setup.names.map(() => "none") }) });
  const failed = { code: "engine_failed", message: expect.stringContaining("a thread of the wasm kernels failed") };
  await expect(warm(failing)).rejects.toMatchObject(failed);
  expect(() => multiply(failing)).toThrow(expect.objectContaining(failed));
});

const dying = `
const { workerData: { memory, address, job, inside, taken } } = require("node:worker_threads");
const words = new Int32Array(memory.buffer, address);
while (Atomics.load(words, taken) > 1000 || Atomics.load(words, job) === 0);
Atomics.add(words, inside, 1);
Atomics.add(words, taken, 1);
process.exit();`;

test("a dying thread is a named error, not a hang", async () => {
  const start = ({ memory, address }: HelperSetup): void => {
    const { job, inside, taken } = word;
    const position = { memory, address, job, inside, taken: taken + line };
    new Worker(dying, { eval: true, workerData: position }).on("error", () => undefined);
  };
  const mourning = await open(2, { start, patience: 400 });
  const failed = { code: "engine_failed", message: expect.stringContaining("did not finish within 0.4 seconds") };
  await expect(warm(mourning)).rejects.toMatchObject(failed);
  expect(() => multiply(mourning)).toFailWith("engine_failed");
});

test.each(["", "kernels.dispose();"])("the process ends despite open threads: %s", async (last) => {
  const program = `
    import { createKernels } from "./packages/engine/src/wasm/index.ts";
    const kernels = await createKernels({ threads: 3 });
    for (let i = 0; i < 20; i++) {
      kernels.scope(() => void kernels.linear(kernels.zeros([600, 256]), kernels.zeros([256, 256])));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    ${last}
    console.log("done");`;
  const args = ["--import", "tsx", "--input-type=module", "-e", program];
  const cwd = fileURLToPath(new URL("../../../..", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(stdout).toBe("done\n");
});

test("two kernel sets have separate thread boards", async () => {
  const [a, b] = [await open(2), await open(2)];
  await warm(a);
  expect(b.pool.helped).toBe(0);
  expect(boardAt(new SharedArrayBuffer(8192), 64).words.byteOffset).toBe(64);
});
