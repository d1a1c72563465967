// The WebGPU kernels one by one: milliseconds with and without the compiling of their shaders. `laconic doctor --enable webgpu` first.
// `npx tsx bench/src/kernels/webgpu.ts [FOLDER of the devices]`
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { randomFromSeed } from "@laconic/core";
import type { Kernels, SequenceLayout, Tensor } from "@laconic/engine/kernels";
import { createKernels } from "@laconic/engine/webgpu";
import { machine, print } from "../measure.ts";
import { readWords } from "../options.ts";

const [folder = process.env["LACONIC_DEVICES"]] = readWords();
if (folder === undefined) throw new Error("name the folder of the devices, or set LACONIC_DEVICES");

print("machine", machine());
const opened = await createKernels({ modules: join(folder, "webgpu") });
for (const [name, run] of Object.entries(cases(opened))) {
  const first = await timed(opened, run);
  const times: number[] = [];
  for (let i = 0; i < 5; i++) times.push(await timed(opened, run));
  print(name, { firstMs: round(first), minMs: round(Math.min(...times)), backend: opened.backend });
}
opened.dispose();

async function timed(kernels: Kernels, run: () => Tensor): Promise<number> {
  const start = performance.now();
  const result = kernels.scope(run);
  await kernels.read(result);
  kernels.free(result);
  return performance.now() - start;
}

function cases(kernels: Kernels): Readonly<Record<string, () => Tensor>> {
  const shape = { queryHeads: 8, kvHeads: 2, headDim: 32, scale: 32 ** -0.5 };
  const lengths = Array.from({ length: 16 }, (_, i) => 64 + 8 * i);
  const layout = layoutOf(kernels, lengths);
  const rows = lengths.reduce((sum, each) => sum + each, 0);
  const [q, k, v] = [matrix(kernels, rows, 256), matrix(kernels, rows, 64), matrix(kernels, rows, 64)];
  const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
  const cache = kernels.createCache({ pages: 64, pageSize: 256, kvHeads: 2, headDim: 32 });
  const past = Int32Array.from({ length: 64 }, () => 128);
  const plan = {
    layout: layoutOf(
      kernels,
      Array.from(past, () => 1),
    ),
    table: Int32Array.from(past.keys()),
    past,
    tableOnDevice: kernels.upload(Int32Array.from(past.keys()), [64, 1]),
    pastOnDevice: kernels.upload(past, [64]),
  };
  const [q1, k1, v1] = [matrix(kernels, 64, 256), matrix(kernels, 64, 64), matrix(kernels, 64, 64)];
  const [hidden, weight] = [matrix(kernels, 512, 64), matrix(kernels, 8192, 64)];
  const targets = kernels.upload(
    Int32Array.from({ length: 512 }, (_, i) => (i * 37) % 8192),
    [512],
  );
  const ones = kernels.upload(new Float32Array(512).fill(1), [512]);
  const forward = { hidden, weight, targets, inverseTemperature: ones };
  const { logSumExp: sums } = kernels.headLogProbs(hidden, weight, targets, ones);
  return {
    attention: () => kernels.attention(q, k, v, shape, layout).logSumExp,
    attentionBackward: () => kernels.attentionBackward(out, { q, k, v, out, logSumExp }, shape, layout).dV,
    attentionCached: () => kernels.attentionCached(q1, k1, v1, cache, shape, plan),
    headLogProbs: () => kernels.headLogProbs(hidden, weight, targets, ones).logProbs,
    headLogProbsBackward: () =>
      kernels.headLogProbsBackward(ones, { ...forward, logSumExp: sums }, { weight: true }).dHidden,
  };
}

function matrix(kernels: Kernels, rows: number, columns: number): Tensor {
  const random = randomFromSeed(`${rows}/${columns}`);
  return kernels.upload(
    Float32Array.from({ length: rows * columns }, () => random.normal()),
    [rows, columns],
  );
}

function layoutOf(kernels: Kernels, lengths: readonly number[]): SequenceLayout {
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, i) => (offsets[i + 1] = (offsets[i] as number) + length));
  return { offsets, offsetsOnDevice: kernels.upload(offsets, [offsets.length]), longest: Math.max(...lengths) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
