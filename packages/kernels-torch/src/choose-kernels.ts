import { LaconicError } from "@laconic/core";
import type { Kernels, Tensor } from "@laconic/kernels";
import { flashPageSize, type FlashCacheKind } from "./kernels/flash-cache.ts";
import type { Torch } from "./native/torch.ts";
import { torchKernelSet, type KernelChoices } from "./torch-kernels.ts";

/**
 * PyTorch's fused attention, its fused gradient of norms, and our own programs, where they give what plain products give on a
 * small case, else plain products: arguments and limits differ between versions and cards.
 * @param wanted - our own programs, if true; decode steps as graphs, if true
 */
export async function chooseKernels(
  torch: Torch,
  dtype: "float32" | "bfloat16",
  { programs = false, graphs = false }: { readonly programs?: boolean; readonly graphs?: boolean } = {},
): Promise<Kernels> {
  if (torch.device === "cpu") return torchKernelSet(torch, dtype, { attention: "fused", normBackward: "composed" });
  const safe = torchKernelSet(torch, dtype, { attention: "math", normBackward: "composed" });
  let choices: KernelChoices = { attention: "math", normBackward: "composed" };
  const take = async (change: Partial<KernelChoices>, sample: Sample): Promise<boolean> => {
    const agrees = await agree(safe, torchKernelSet(torch, dtype, { ...choices, ...change }), sample);
    if (agrees) choices = { ...choices, ...change };
    return agrees;
  };
  await take({ normBackward: "fused" }, normSample);
  // CUDA's flash attention, and our own programs, take no float32.
  if (dtype === "bfloat16") {
    if (programs && torch.launches) await take({ programs: true }, programSample);
    if (await take({ attention: "fused" }, attentionSample))
      for (const caching of cacheKinds(torch))
        if (await take({ caching }, (kernels) => cacheSample(kernels, caching === "pages"))) break;
  }
  return torchKernelSet(torch, dtype, { ...choices, graphs });
}

/** The caches to try, the best first: pages are in the schema from 2.12, and read by the kernel that comes with it from 2.13. */
function cacheKinds({ library: { version } }: Torch): readonly FlashCacheKind[] {
  return version.major > 2 || version.minor >= 13 ? ["pages", "slots"] : ["slots"];
}

/** Gradients of a norm over many rows, those of its weight as parts of the largest. */
async function normSample(kernels: Kernels): Promise<number[]> {
  const [rows, width] = [300, 64];
  const { dX, dWeight } = kernels.scope(() => {
    const weight = kernels.upload(
      Float32Array.from({ length: width }, (_, i) => 1 + Math.cos(i)),
      [width],
    );
    const x = wave(kernels, rows, width, 0);
    return kernels.rmsNormBackward(wave(kernels, rows, width, 1), x, weight, kernels.rmsNorm(x, weight, 1e-6).invRms);
  });
  const [ofX, ofWeight] = [await kernels.read(dX), await kernels.read(dWeight)];
  kernels.free(dX, dWeight);
  const largest = Math.max(...Array.from(ofWeight, Math.abs));
  return [...ofX, ...Array.from(ofWeight, (value) => value / largest)];
}

/** Computes something that shows whether a set is right. */
type Sample = (kernels: Kernels) => Promise<number[]>;

async function agree(plain: Kernels, set: Kernels, sample: Sample): Promise<boolean> {
  try {
    const [expected, actual] = [await sample(plain), await sample(set)];
    // A number that is none differs from every other.
    return expected.every((value, i) => Math.abs(value - (actual[i] as number)) < 0.05);
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    return false;
  }
}

/**
 * Prompts of two unequal sequences longer than a page, and three tokens more of each, with grouped heads. Memory that the
 * results may get is filled with NaN before: rows that a kernel leaves unwritten show.
 */
async function cacheSample(kernels: Kernels, paged: boolean): Promise<number[]> {
  const shape = { queryHeads: 4, kvHeads: 2, headDim: 64, scale: 0.125 };
  const lengths = [700, 300];
  // The plain set reads the same pages after copying them.
  const size = paged ? { pages: 8, pageSize: flashPageSize } : { pages: 3, pageSize: 768 };
  const table = paged ? Int32Array.of(6, 1, 4, 3, 0, 0) : Int32Array.of(2, 0);
  const cache = kernels.createCache({ ...size, kvHeads: shape.kvHeads, headDim: shape.headDim });
  const call = (counts: readonly number[], past: Int32Array, phase: number): Tensor => {
    const offsets = Int32Array.of(0, counts[0] as number, (counts[0] as number) + (counts[1] as number));
    const rows = offsets[2] as number;
    const plan = {
      layout: { offsets, offsetsOnDevice: kernels.upload(offsets, [3]), longest: Math.max(...counts) },
      table,
      tableOnDevice: kernels.upload(table, [2, table.length / 2]),
      past,
      pastOnDevice: kernels.upload(past, [2]),
    };
    const [q, k, v] = [
      wave(kernels, rows, 256, phase),
      wave(kernels, rows, 128, phase + 1),
      wave(kernels, rows, 128, phase + 2),
    ] as const;
    kernels.free(kernels.upload(new Float32Array(rows * 256).fill(NaN), [rows, 256]));
    return kernels.attentionCached(q, k, v, cache, shape, plan);
  };
  const values: number[] = [];
  try {
    const results = kernels.scope(() => [
      call(lengths, new Int32Array(2), 0),
      ...[0, 1, 2].map((step) =>
        call(
          [1, 1],
          Int32Array.from(lengths, (length) => length + step),
          3 * step,
        ),
      ),
    ]);
    await appendTo(values, kernels, results);
  } finally {
    kernels.freeCache(cache);
  }
  return values;
}

/** Rotated heads, SwiGLU and the head, with their gradients, in rows that can and that cannot be read by 16 bytes. */
async function programSample(kernels: Kernels): Promise<number[]> {
  const values: number[] = [];
  for (const half of [16, 6]) {
    const results = kernels.scope(() => {
      const [rows, width, vocabulary] = [9, 2 * half, 700];
      const numbers = (phase: number): Tensor =>
        kernels.upload(
          Float32Array.from({ length: rows }, (_, i) => 1 + 0.3 * Math.cos(i + phase)),
          [rows],
          "full",
        );
      const integers = (limit: number): Tensor =>
        kernels.upload(
          Int32Array.from({ length: rows }, (_, i) => (i * 89) % limit),
          [rows],
        );
      const [gate, up, dOut] = [0, 1, 2].map((phase) => wave(kernels, rows, width, phase)) as [Tensor, Tensor, Tensor];
      const tables = { cos: wave(kernels, 20, half, 3), sin: wave(kernels, 20, half, 4) };
      const [weight, targets, inverseTemperature] = [
        wave(kernels, vocabulary, width, 5),
        integers(vocabulary),
        numbers(0),
      ];
      const head = kernels.headLogProbs(gate, weight, targets, inverseTemperature);
      const saved = { hidden: gate, weight, targets, inverseTemperature, logSumExp: head.logSumExp };
      const { dGate, dUp } = kernels.swiGluBackward(dOut, gate, up);
      const { dHidden, dWeight } = kernels.headLogProbsBackward(numbers(1), saved, { weight: true });
      return [
        kernels.swiGlu(gate, up),
        dGate,
        dUp,
        dHidden,
        dWeight as Tensor,
        ...[false, true].map((inverse) => kernels.rotary(up, tables, integers(20), 1, inverse)),
        head.logProbs,
        head.entropy,
        head.logSumExp,
      ];
    });
    await appendTo(values, kernels, results);
  }
  return values;
}

/** Attention over two sequences and its gradients, with grouped heads. */
async function attentionSample(kernels: Kernels): Promise<number[]> {
  const shape = { queryHeads: 4, kvHeads: 2, headDim: 64, scale: 0.125 };
  const offsets = Int32Array.of(0, 5, 12);
  const results = kernels.scope(() => {
    const [q, k, v, dOut] = [256, 128, 128, 256].map((width, phase) => wave(kernels, 12, width, phase)) as [
      Tensor,
      Tensor,
      Tensor,
      Tensor,
    ];
    const layout = { offsets, offsetsOnDevice: kernels.upload(offsets, [3]), longest: 7 };
    const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
    const { dQ, dK, dV } = kernels.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
    return [out, logSumExp, dQ, dK, dV];
  });
  const values: number[] = [];
  await appendTo(values, kernels, results);
  return values;
}

function wave(kernels: Kernels, rows: number, width: number, phase: number): Tensor {
  return kernels.upload(
    Float32Array.from({ length: rows * width }, (_, i) => Math.sin(0.37 * i + phase)),
    [rows, width],
  );
}

/** One by one: a call takes no quarter of a million arguments. Frees the tensors. */
async function appendTo(values: number[], kernels: Kernels, tensors: readonly Tensor[]): Promise<void> {
  for (const tensor of tensors) for (const value of await kernels.read(tensor)) values.push(value);
  kernels.free(...tensors);
}
