import { LaconicError } from "@laconic/core";
import { addNorm, normBackwardOnto, rotateBackAndJoin, type Kernels, type Tensor } from "@laconic/engine/kernels";
import { flashPageSize, type FlashCacheKind } from "./kernels/flash-cache.ts";
import type { Torch } from "./native/torch.ts";
import { programGroups, torchKernelSet, type KernelChoices, type ProgramGroup } from "./torch-kernels.ts";

/** What of our own a set is asked to try. */
export interface WantedKernels {
  /** Our own programs; true by default. */
  readonly programs?: boolean;
  /** Decode steps as graphs; false by default. */
  readonly graphs?: boolean;
  /** No sum whose order differs from run to run; false by default. */
  readonly deterministic?: boolean;
}

/**
 * PyTorch's fused attention, its fused gradient of norms, and our own programs by groups, where they give what plain products
 * give on a small case, else plain products: arguments and limits differ between versions and cards. What of our own was
 * tried and is not taken, the set's `backend` names, with the reason.
 */
export async function chooseKernels(
  torch: Torch,
  dtype: "float32" | "bfloat16",
  { programs = true, graphs = false, deterministic = false }: WantedKernels = {},
): Promise<Kernels> {
  if (torch.device === "cpu") return torchKernelSet(torch, dtype, { attention: "fused", normBackward: "composed" });
  // What PyTorch fuses for CUDA it does not have for MPS.
  if (torch.device === "mps") return torchKernelSet(torch, dtype, { attention: "math", normBackward: "composed" });
  const safe = torchKernelSet(torch, dtype, { attention: "math", normBackward: "composed" });
  let choices: KernelChoices = { attention: "math", normBackward: "composed" };
  const refused: string[] = [];
  /** Takes the change and answers null, or says what is against it. */
  const take = async (change: Partial<KernelChoices>, sample: Sample): Promise<string | null> => {
    const reason = await disagreement(safe, torchKernelSet(torch, dtype, { ...choices, ...change }), sample);
    if (reason === null) choices = { ...choices, ...change };
    return reason;
  };
  const takeOwn = async (group: ProgramGroup): Promise<void> => {
    const reason =
      missingFor(torch, group, choices) ??
      (await take({ programs: [...(choices.programs ?? []), group] }, programSamples[group]));
    if (reason !== null) refused.push(`${group} (${reason})`);
  };
  await take({ normBackward: "fused" }, normSample);
  // CUDA's flash attention, and our own programs, take no float32.
  if (dtype === "bfloat16") {
    if ((await take({ attention: "fused" }, (kernels) => attentionSample(kernels))) === null)
      for (const caching of cacheKinds(torch))
        if ((await take({ caching }, (kernels) => cacheSample(kernels, caching === "pages"))) === null) break;
    // Attention over trees keeps what its own gradients want, which are flash attention's.
    const groups = programGroups.filter((group) => !(deterministic && group === "trees"));
    if (programs) for (const group of groups) await takeOwn(group);
  }
  return torchKernelSet(torch, dtype, { ...choices, graphs, refused, ...(deterministic && { deterministic }) });
}

/** What a group lacks before it can be tried; null for nothing. */
function missingFor(torch: Torch, group: ProgramGroup, { attention }: KernelChoices): string | null {
  if (group === "sums") return torch.addsProducts ? null : "cuBLAS is not found";
  if (!torch.launches) return "NVIDIA's run-time compiler is not found, or does not know the card";
  return group === "trees" && attention !== "fused" ? "without flash attention" : null;
}

/** The caches to try, the best first: pages are in the schema from 2.12, and read by the kernel that comes with it from 2.13. */
function cacheKinds({ library: { version } }: Torch): readonly FlashCacheKind[] {
  return version.major > 2 || version.minor >= 13 ? ["pages", "slots"] : ["slots"];
}

/** Gradients of a norm over many rows. */
async function normSample(kernels: Kernels): Promise<Values[]> {
  const [rows, width] = [300, 64];
  const { dX, dWeight } = kernels.scope(() => {
    const weight = kernels.upload(
      Float32Array.from({ length: width }, (_, i) => 1 + Math.cos(i)),
      [width],
    );
    const x = wave(kernels, rows, width, 0);
    return kernels.rmsNormBackward(wave(kernels, rows, width, 1), x, weight, kernels.rmsNorm(x, weight, 1e-6).invRms);
  });
  const values: Values[] = [];
  await appendTo(values, kernels, [dX, dWeight]);
  return values;
}

/** Computes something that shows whether a set is right. */
type Sample = (kernels: Kernels) => Promise<Values[]>;

/** Of one tensor. */
type Values = Awaited<ReturnType<Kernels["read"]>>;

/** Of the largest number of a result: bfloat16 loses a tenth of it. */
const tolerance = 0.05;

/** Null where both sets compute the same. */
async function disagreement(plain: Kernels, set: Kernels, sample: Sample): Promise<string | null> {
  try {
    const [expected, actual] = [await sample(plain), await sample(set)];
    for (const [i, values] of expected.entries()) {
      const got = actual[i] as Values;
      const largest = Array.from(values, Math.abs).reduce((most, value) => Math.max(most, value), 0);
      // A number that is none differs from every other.
      const at = values.findIndex((value, j) => !(Math.abs(value - (got[j] as number)) <= tolerance * largest));
      if (at >= 0) return `number ${at} of result ${i} is ${got[at]}, not ${values[at]}`;
    }
    return null;
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    return error.message;
  }
}

/**
 * Prompts of two unequal sequences longer than a page, and three tokens more of each, with grouped heads. Memory that the
 * results may get is filled with NaN before: rows that a kernel leaves unwritten show.
 */
async function cacheSample(kernels: Kernels, paged: boolean): Promise<Values[]> {
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
  const values: Values[] = [];
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

/** Rows of most samples, and of those whose blocks share rows: of some blocks there are two. */
const [fewRows, manyRows] = [20, 300] as const;

type InRows = (kernels: Kernels, half: number) => Tensor[];

/** In rows that can, and that cannot, be read by 16 bytes. */
function inBothWidths(body: InRows): Sample {
  return async (kernels) => {
    const values: Values[] = [];
    for (const half of [16, 6])
      await appendTo(
        values,
        kernels,
        kernels.scope(() => body(kernels, half)),
      );
    return values;
  };
}

/** What each group computes, with gradients. */
const programSamples: Readonly<Record<ProgramGroup, Sample>> = {
  elementwise: inBothWidths((kernels, half) => {
    const [gate, up, dOut] = waves(kernels, [2 * half, 2 * half, 2 * half]) as [Tensor, Tensor, Tensor];
    const [dQ, dK, dV] = waves(kernels, [4 * half, 2 * half, 2 * half]) as [Tensor, Tensor, Tensor];
    const tables = { cos: wave(kernels, 20, half, 3), sin: wave(kernels, 20, half, 4) };
    const positions = integers(kernels, 20);
    const { dGate, dUp } = kernels.swiGluBackward(dOut, gate, up);
    const turned = [false, true].map((inverse) => kernels.rotary(up, tables, positions, 1, inverse));
    const heads = { dQ, dK, dV, queryHeads: 2, kvHeads: 1 };
    return [kernels.swiGlu(gate, up), dGate, dUp, ...turned, rotateBackAndJoin(kernels, heads, tables, positions)];
  }),
  norms: inBothWidths((kernels, half) => {
    const [a, b, dOut] = waves(kernels, [2 * half, 2 * half, 2 * half], manyRows) as [Tensor, Tensor, Tensor];
    const weight = kernels.upload(
      Float32Array.from({ length: 2 * half }, (_, i) => 1 + Math.cos(i)),
      [2 * half],
    );
    const { sum, out, invRms } = addNorm(kernels, a, b, weight, 1e-6);
    const forward = { dOut, x: sum, weight, invRms };
    const { dX, dWeight } = normBackwardOnto(kernels, a, forward, { weight: true });
    return [sum, out, invRms, dX, dWeight as Tensor];
  }),
  head: inBothWidths((kernels, half) => {
    const [hidden] = waves(kernels, [2 * half]) as [Tensor];
    const numbers = (phase: number): Tensor =>
      kernels.upload(
        Float32Array.from({ length: fewRows }, (_, i) => 0.1 + 0.03 * Math.cos(i + phase)),
        [fewRows],
        "full",
      );
    const [weight, targets] = [wave(kernels, 700, 2 * half, 5), integers(kernels, 700)];
    const inverseTemperature = numbers(0);
    const { logProbs, entropy, logSumExp } = kernels.headLogProbs(hidden, weight, targets, inverseTemperature);
    const saved = { hidden, weight, targets, inverseTemperature, logSumExp };
    const { dHidden, dWeight } = kernels.headLogProbsBackward(numbers(1), saved, { weight: true });
    return [logProbs, entropy, logSumExp, dHidden, dWeight as Tensor];
  }),
  sums: inBothWidths((kernels, half) => {
    const [x, dOut] = waves(kernels, [2 * half, 4 * half], manyRows) as [Tensor, Tensor];
    const weight = wave(kernels, 4 * half, 2 * half, 2);
    const places = [false, true].map((add) => {
      const dWeight = { tensor: kernels.zeros(weight.shape, "full"), add };
      const dBias = { tensor: kernels.zeros([4 * half], "full"), add };
      const needs = { input: true, weight: true, bias: true };
      for (let time = 0; time < 2; time++) kernels.linearBackward(dOut, x, weight, needs, { dWeight, dBias });
      return [dWeight.tensor, dBias.tensor];
    });
    return places.flat();
  }),
  trees: (kernels) => attentionSample(kernels, sampleTree),
};

/** Two prompts; of the first a branch with two leaves and a leaf of its own. */
const sampleTree = { parents: Int32Array.of(-1, 0, 1, 1, 0, -1, 5), lengths: [5, 3, 4, 2, 6, 3, 7] } as const;

function waves(kernels: Kernels, widths: readonly number[], rows: number = fewRows): Tensor[] {
  return widths.map((width, phase) => wave(kernels, rows, width, phase));
}

function integers(kernels: Kernels, limit: number): Tensor {
  return kernels.upload(
    Int32Array.from({ length: fewRows }, (_, i) => (i * 89) % limit),
    [fewRows],
  );
}

/** Attention over two sequences, or over a tree of segments, and its gradients, with grouped heads. */
async function attentionSample(kernels: Kernels, tree?: typeof sampleTree): Promise<Values[]> {
  const shape = { queryHeads: 4, kvHeads: 2, headDim: 64, scale: 0.125 };
  const lengths = tree?.lengths ?? [5, 7];
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, s) => (offsets[s + 1] = (offsets[s] as number) + length));
  const rows = offsets.at(-1) as number;
  const results = kernels.scope(() => {
    const [q, k, v, dOut] = [256, 128, 128, 256].map((width, phase) => wave(kernels, rows, width, phase)) as [
      Tensor,
      Tensor,
      Tensor,
      Tensor,
    ];
    const layout = {
      offsets,
      offsetsOnDevice: kernels.upload(offsets, [offsets.length]),
      // Of the tree: 5 + 3 + 4 rows, and 5 + 6 or 3 + 7.
      longest: tree ? 12 : 7,
      ...(tree && {
        tree: { parents: tree.parents, parentsOnDevice: kernels.upload(tree.parents, [tree.parents.length]) },
      }),
    };
    const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
    const { dQ, dK, dV } = kernels.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
    return [out, logSumExp, dQ, dK, dV];
  });
  const values: Values[] = [];
  await appendTo(values, kernels, results);
  return values;
}

function wave(kernels: Kernels, rows: number, width: number, phase: number): Tensor {
  return kernels.upload(
    Float32Array.from({ length: rows * width }, (_, i) => Math.sin(0.37 * i + phase)),
    [rows, width],
  );
}

/** Frees the tensors. */
async function appendTo(values: Values[], kernels: Kernels, tensors: readonly Tensor[]): Promise<void> {
  for (const tensor of tensors) values.push(await kernels.read(tensor));
  kernels.free(...tensors);
}
