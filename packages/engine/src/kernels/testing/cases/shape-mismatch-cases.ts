import type { Kernels, SamplingRows, Tensor } from "../../contract.ts";
import { attentionShapeOf } from "./attention-cases.ts";
import { Bench } from "./bench.ts";
import { expectRefusal, type KernelCase } from "./kernel-case.ts";

function refuses(
  name: string,
  call: (
    kernels: Kernels,
    float: (...shape: number[]) => Tensor,
    int: (length: number) => Tensor,
    bench: Bench,
  ) => unknown,
): KernelCase {
  return {
    name: `refuses what does not fit: ${name}`,
    async run(create) {
      const kernels = await create();
      kernels.scope(() => {
        const bench = new Bench(kernels);
        const float = (...shape: number[]): Tensor => kernels.zeros(shape);
        const int = (length: number): Tensor => kernels.upload(new Int32Array(length), [length]);
        expectRefusal(name, "input_invalid", () => call(kernels, float, int, bench));
      });
    },
  };
}

const sampling = (rows: number): SamplingRows => ({
  temperature: new Float32Array(rows),
  topK: new Int32Array(rows),
  topP: new Float32Array(rows).fill(1),
  minP: new Float32Array(rows),
  uniform: new Float32Array(rows),
});
const shape = attentionShapeOf(2, 1, 4);
const step = { learningRate: 1, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, step: 1 };
const needs = { input: true, weight: true, bias: false };

export const shapeMismatchCases: readonly KernelCase[] = [
  refuses("upload of 5 numbers as [2, 3]", (k) => k.upload(new Float64Array(5), [2, 3])),
  refuses("reshape of 6 numbers to [4, 2]", (k, f) => k.reshape(f(2, 3), [4, 2])),
  refuses("assign of no tensor to one", (k, f) => k.assign([f(2)], [])),
  refuses("columns 1 to 4 of 3", (k, f) => k.columns(f(2, 3), 1, 3)),
  refuses("joinColumns of 2 and 3 rows", (k, f) => k.joinColumns([f(2, 3), f(3, 3)])),
  refuses("placeRows of 2 rows to 3 places", (k, f, i) =>
    k.placeRows({ tensor: k.zeros([4, 3], "full"), add: true }, f(2, 3), i(3)),
  ),
  refuses("advance of floats", (k, f) => k.advance(f(2), 1)),
  refuses("tokenLogProbs: 6 of 5 tokens", (k, f, i) => k.tokenLogProbs(f(2, 5), i(2), 6)),
  refuses("sampleTokens from integers", (k, _, i) => k.sampleTokens(i(2), sampling(2))),
  refuses("add of [2, 3] and [3, 2]", (k, f) => k.add(f(2, 3), f(3, 2))),
  refuses("accumulate of [3] onto [2]", (k, f) => k.accumulate(f(2), f(3))),
  refuses("gatherRows from a vector", (k, f, i) => k.gatherRows(f(4), i(2))),
  refuses("gatherRows with float rows", (k, f) => k.gatherRows(f(4, 3), f(2))),
  refuses("scatterAddRows of 3 rows to 2 places", (k, f, i) => k.scatterAddRows(f(3, 2), i(2), 5)),
  refuses("linear: inner widths 3 and 4", (k, f) => k.linear(f(2, 3), f(5, 4))),
  refuses("linear: bias of 4 for 5 outputs", (k, f) => k.linear(f(2, 3), f(5, 3), f(4))),
  refuses("linear of a vector", (k, f) => k.linear(f(3), f(5, 3))),
  refuses("linearBackward: dOut of 4 rows for 2", (k, f) => k.linearBackward(f(4, 5), f(2, 3), f(5, 3), needs)),
  refuses("linearBackward: dOut of 4 columns for 5", (k, f) => k.linearBackward(f(2, 4), f(2, 3), f(5, 3), needs)),
  refuses("linearBackward: inner widths 3 and 4", (k, f) => k.linearBackward(f(2, 5), f(2, 3), f(5, 4), needs)),
  refuses("rmsNorm: weight of 4 for width 3", (k, f) => k.rmsNorm(f(2, 3), f(4), 1)),
  refuses("rmsNormBackward: dOut of another shape", (k, f) => k.rmsNormBackward(f(1, 3), f(2, 3), f(3), f(2))),
  refuses("rmsNormBackward: invRms of 3 for 2 rows", (k, f) => k.rmsNormBackward(f(2, 3), f(2, 3), f(3), f(3))),
  refuses("rotary: two heads of 4 in width 6", (k, f, i, b) => k.rotary(f(2, 6), b.rotaryTables(3, 4), i(2), 2)),
  refuses("rotary: 3 positions for 2 rows", (k, f, i, b) => k.rotary(f(2, 8), b.rotaryTables(3, 4), i(3), 2)),
  refuses("attention: q of width 4 for 2 heads of 4", (k, f, _, b) =>
    k.attention(f(3, 4), f(3, 4), f(3, 4), shape, b.layout([3])),
  ),
  refuses("attention: k of 2 rows for 3", (k, f, _, b) => k.attention(f(3, 8), f(2, 4), f(3, 4), shape, b.layout([3]))),
  refuses("attention: v of width 8 for 1 head of 4", (k, f, _, b) =>
    k.attention(f(3, 8), f(3, 4), f(3, 8), shape, b.layout([3])),
  ),
  refuses("attention: a layout of 4 rows for 3", (k, f, _, b) =>
    k.attention(f(3, 8), f(3, 4), f(3, 4), shape, b.layout([2, 2])),
  ),
  ...[
    { name: "an empty segment", lengths: [1, 0, 2], parents: [-1, 0, 0] },
    { name: "a segment that continues itself", lengths: [1, 2], parents: [-1, 1] },
    { name: "a segment that continues a later one", lengths: [1, 2], parents: [1, -1] },
    { name: "a segment behind another tree", lengths: [1, 1, 1], parents: [-1, -1, 0] },
    { name: "a parent too few", lengths: [1, 2], parents: [-1] },
  ].map(({ name, lengths, parents }) =>
    refuses(`attention: ${name}`, (k, f, _, b) =>
      k.attention(f(3, 8), f(3, 4), f(3, 4), shape, b.layout(lengths, parents)),
    ),
  ),
  refuses("attention: a path longer than the longest", (k, f, _, b) =>
    k.attention(f(3, 8), f(3, 4), f(3, 4), shape, { ...b.layout([1, 2], [-1, 0]), longest: 2 }),
  ),
  refuses("attention: 2 key/value heads for 3 query heads", (k, f, _, b) =>
    k.attention(f(3, 12), f(3, 8), f(3, 8), attentionShapeOf(3, 2, 4), b.layout([3])),
  ),
  refuses("attentionBackward: dOut of 2 rows for 3", (k, f, _, b) => {
    const forward = { q: f(3, 8), k: f(3, 4), v: f(3, 4), out: f(3, 8), logSumExp: f(3, 2) };
    return k.attentionBackward(f(2, 8), forward, shape, b.layout([3]));
  }),
  refuses("attentionBackward: logSumExp of 1 head for 2", (k, f, _, b) => {
    const forward = { q: f(3, 8), k: f(3, 4), v: f(3, 4), out: f(3, 8), logSumExp: f(3, 1) };
    return k.attentionBackward(f(3, 8), forward, shape, b.layout([3]));
  }),
  ...[
    { name: "heads of another width", size: { pages: 2, pageSize: 4, kvHeads: 1, headDim: 6 }, rows: 2 },
    { name: "more heads", size: { pages: 2, pageSize: 4, kvHeads: 2, headDim: 4 }, rows: 2 },
    { name: "a plan of 2 rows for 3", size: { pages: 2, pageSize: 4, kvHeads: 1, headDim: 4 }, rows: 3 },
  ].map(({ name, size, rows }) =>
    refuses(`attentionCached: ${name}`, (k, f, _, b) => {
      const cache = k.createCache(size);
      try {
        return k.attentionCached(f(rows, 8), f(rows, 4), f(rows, 4), cache, shape, b.plan([2], [0], [0]));
      } finally {
        k.freeCache(cache);
      }
    }),
  ),
  refuses("swiGlu of [2, 3] and [3, 2]", (k, f) => k.swiGlu(f(2, 3), f(3, 2))),
  refuses("swiGluBackward: dOut of another shape", (k, f) => k.swiGluBackward(f(2, 2), f(2, 3), f(2, 3))),
  refuses("headLogProbs: widths 3 and 4", (k, f, i) => k.headLogProbs(f(2, 3), f(5, 4), i(2), f(2))),
  refuses("headLogProbs: 3 targets for 2 rows", (k, f, i) => k.headLogProbs(f(2, 3), f(5, 3), i(3), f(2))),
  refuses("headLogProbs: 1 temperature for 2 rows", (k, f, i) => k.headLogProbs(f(2, 3), f(5, 3), i(2), f(1))),
  refuses("headLogProbsBackward: 3 gradients for 2 rows", (k, f, i) =>
    k.headLogProbsBackward(
      f(3),
      { hidden: f(2, 3), weight: f(5, 3), targets: i(2), inverseTemperature: f(2), logSumExp: f(2) },
      { weight: true },
    ),
  ),
  refuses("sampleTokens: 1 uniform number for 2 rows", (k, f) =>
    k.sampleTokens(f(2, 5), { ...sampling(2), uniform: new Float32Array(1) }),
  ),
  refuses("sampleTokens: 1 min-p for 2 rows", (k, f) =>
    k.sampleTokens(f(2, 5), { ...sampling(2), minP: new Float32Array(1) }),
  ),
  refuses("adamW: a gradient of 3 for 2 parameters", (k, f) =>
    k.adamW([{ param: f(2), grad: f(3), first: f(2), second: f(2) }], step),
  ),
  refuses("adamW: moments of 3 for 2 parameters", (k, f) =>
    k.adamW([{ param: f(2), grad: f(2), first: f(3), second: f(2) }], step),
  ),
];
