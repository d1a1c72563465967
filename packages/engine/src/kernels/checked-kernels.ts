import { inputError } from "@laconic/core";
import { kernelSampling } from "@laconic/core/backends";
import type { Kernels, SamplingOnDevice, SamplingRows, Tensor } from "./contract.ts";
import { isOnDevice } from "./pack-sampling.ts";
import {
  describeTensor,
  expectFloats,
  expectHeads,
  expectInts,
  expectLayout,
  expectMatrix,
  expectTensor,
  joinedSize,
  sizeOf,
} from "./shape-checks.ts";

type Check<Operation> = Operation extends (...args: infer Arguments) => unknown ? (...args: Arguments) => void : never;

/** Without device reads. */
const checks = {
  upload: (values, shape) => expectFilled(values, shape, "upload"),
  reshape: (tensor, shape) => expectFilled({ length: sizeOf(tensor.shape) }, shape, "reshape"),
  assign(into, from) {
    if (into.length !== from.length) throw inputError(`assign: ${from.length} tensors for ${into.length}`);
    into.forEach((tensor, i) => expectFloats(from[i] as Tensor, tensor.shape, `assign: tensor ${i}`));
  },
  columns(x, start, count) {
    const [, width] = expectMatrix(x, "columns: x");
    if (!(start >= 0 && count > 0 && start + count <= width))
      throw inputError(`columns: ${start} to ${start + count} of a matrix with ${width}`);
  },
  joinColumns(parts) {
    if (parts.length === 0) throw inputError("joinColumns: no matrices");
    const [rows] = joinedSize(parts);
    for (const [i, part] of parts.entries()) {
      const [, columns] = expectMatrix(part, `joinColumns: part ${i}`);
      expectFloats(part, [rows, columns], `joinColumns: part ${i}`);
    }
  },

  add: (a, b) => expectAlike("add", a, "a", b, "b"),
  multiply: (a, b) => expectAlike("multiply", a, "a", b, "b"),
  scaled: (x) => expectFloats(x, x.shape, "scaled"),
  accumulate: (into, delta) => expectAlike("accumulate", into, "into", delta, "delta"),
  swiGlu(gate, up) {
    expectMatrix(gate, "swiGlu: gate");
    expectFloats(up, gate.shape, "swiGlu: up");
  },
  swiGluBackward(dOut, gate, up) {
    expectMatrix(gate, "swiGluBackward: gate");
    expectFloats(dOut, gate.shape, "swiGluBackward: dOut");
    expectFloats(up, gate.shape, "swiGluBackward: up");
  },

  gatherRows(table, rows) {
    expectMatrix(table, "gatherRows: table");
    expectInts(rows, rows.shape[0] ?? 0, "gatherRows: rows");
  },
  scatterAddRows(delta, rows) {
    const [count] = expectMatrix(delta, "scatterAddRows: delta");
    expectInts(rows, count, "scatterAddRows: rows");
  },
  placeRows({ tensor }, delta, rows) {
    const [, width] = expectMatrix(tensor, "placeRows: into");
    expectFloats(delta, [rows.shape[0] ?? 0, width], "placeRows: delta");
    expectInts(rows, rows.shape[0] ?? 0, "placeRows: rows");
  },
  pickRows: (x, rows) => expectPicked(x, rows, "pickRows"),
  writeRows(into, rows, values) {
    expectPicked(into, rows, "writeRows");
    expectTensor(values, into.dtype, [rows.shape[0] as number, ...into.shape.slice(1)], "writeRows: values");
  },
  advance: (x) => expectInts(x, x.shape[0] ?? 0, "advance"),

  linear: (x, weight, bias) => void expectProduct("linear", x, weight, bias),
  linearOnto: (into, x, weight, bias) =>
    expectFloats(into, expectProduct("linearOnto", x, weight, bias), "linearOnto: into"),
  headLogits: (hidden, weight) => void expectProduct("headLogits", hidden, weight),
  linearBackward(dOut, x, weight, _, { dWeight, dBias } = {}) {
    const size = expectProduct("linearBackward", x, weight);
    expectFloats(dOut, size, "linearBackward: dOut");
    if (dWeight) expectFloats(dWeight.tensor, weight.shape, "linearBackward: into");
    if (dBias) expectFloats(dBias.tensor, [size[1]], "linearBackward: into");
  },

  rmsNorm(x, weight) {
    const [, width] = expectMatrix(x, "rmsNorm: x");
    expectFloats(weight, [width], "rmsNorm: weight");
  },
  rmsNormBackward(dOut, x, weight, invRms) {
    const [rows, width] = expectMatrix(x, "rmsNormBackward: x");
    expectFloats(dOut, x.shape, "rmsNormBackward: dOut");
    expectFloats(weight, [width], "rmsNormBackward: weight");
    expectFloats(invRms, [rows], "rmsNormBackward: invRms");
  },
  rotary(x, { cos, sin }, positions, heads) {
    const [rows] = expectMatrix(x, "rotary: x");
    const [, half] = expectMatrix(cos, "rotary: cos");
    expectFloats(x, [rows, 2 * heads * half], "rotary: x");
    expectFloats(sin, cos.shape, "rotary: sin");
    expectInts(positions, rows, "rotary: positions");
  },

  attention(q, k, v, shape, layout) {
    const [rows] = expectMatrix(q, "attention: q");
    expectHeads(shape, rows, [q], [k, v], "attention");
    expectLayout(layout, rows, "attention");
  },
  attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
    const [rows] = expectMatrix(q, "attentionBackward: q");
    expectHeads(shape, rows, [q, out, dOut], [k, v], "attentionBackward");
    expectFloats(logSumExp, [rows, shape.queryHeads], "attentionBackward: logSumExp");
    expectLayout(layout, rows, "attentionBackward");
  },

  headLogProbs: (hidden, weight, targets, inverseTemperature) =>
    expectHead("headLogProbs", { hidden, weight, targets }, { inverseTemperature }),
  headLogProbsBackward(dLogProbs, { inverseTemperature, logSumExp, ...forward }, _, { dWeight } = {}) {
    const { weight } = forward;
    expectHead("headLogProbsBackward", forward, { inverseTemperature, logSumExp, dLogProbs });
    if (dWeight) expectFloats(dWeight.tensor, weight.shape, "headLogProbsBackward: into");
  },

  sampleTokens: expectSampling,
  tokenLogProbs(logits, tokens, count) {
    const [rows, vocabulary] = expectMatrix(logits, "tokenLogProbs: logits");
    expectInts(tokens, rows, "tokenLogProbs: tokens");
    if (!(Number.isInteger(count) && count >= 0 && count <= vocabulary))
      throw inputError(`tokenLogProbs: expected at most ${vocabulary} most likely tokens, got ${count}`);
  },

  sumSquares: (tensors) => tensors.forEach((tensor) => expectFloats(tensor, tensor.shape, "sumSquares")),
  adamW(tensors) {
    for (const { param, ...others } of tensors)
      for (const [name, tensor] of Object.entries(others)) expectFloats(tensor, param.shape, "adamW", name);
  },
} satisfies { readonly [Name in keyof Kernels]?: Check<NonNullable<Kernels[Name]>> };

/**
 * Checks shapes and types before calling a kernel set, which checks tensors, caches and numbers.
 * @throws LaconicError `input_invalid` for shapes that do not fit
 */
export function checkedKernels(set: Kernels): Kernels {
  const checked = Object.entries(checks).flatMap(([name, check]) => {
    const run = set[name as keyof typeof checks] as ((...args: readonly unknown[]) => unknown) | undefined;
    if (!run) return [];
    const both = (...args: readonly unknown[]): unknown => {
      (check as (...args: readonly unknown[]) => void)(...args);
      return run(...args);
    };
    return [[name, both]];
  });
  return { ...set, ...(Object.fromEntries(checked) as Partial<Kernels>) };
}

function expectFilled(values: { readonly length: number }, shape: readonly number[], location: string): void {
  if (values.length !== sizeOf(shape))
    throw inputError(`${location}: ${values.length} values do not fill shape [${shape.join(", ")}]`);
}

function expectAlike(location: string, first: Tensor, firstName: string, second: Tensor, secondName: string): void {
  expectFloats(first, first.shape, location, firstName);
  expectFloats(second, first.shape, location, secondName);
}

function expectPicked(x: Tensor, rows: Tensor, location: string): void {
  if (x.shape.length !== 1 && x.shape.length !== 2)
    throw inputError(`${location}: expected a vector or a matrix, got ${describeTensor(x)}`);
  expectInts(rows, rows.shape[0] ?? 0, location, "rows");
}

function expectProduct(
  location: string,
  x: Tensor,
  weight: Tensor,
  bias?: Tensor,
): readonly [rows: number, outputs: number] {
  const [rows] = expectMatrix(x, location, "x");
  const [outputs, inner] = expectMatrix(weight, location, "weight");
  expectFloats(x, [rows, inner], location, "x");
  if (bias) expectFloats(bias, [outputs], location, "bias");
  return [rows, outputs];
}

function expectHead(
  location: string,
  { hidden, weight, targets }: Readonly<Record<"hidden" | "weight" | "targets", Tensor>>,
  numbers: Readonly<Record<string, Tensor>>,
): void {
  const [rows, width] = expectMatrix(hidden, location, "hidden");
  const [vocabulary] = expectMatrix(weight, location, "weight");
  expectFloats(weight, [vocabulary, width], location, "weight");
  expectInts(targets, rows, location, "targets");
  for (const [name, tensor] of Object.entries(numbers)) expectFloats(tensor, [rows], location, name);
}

function expectSampling(logits: Tensor, settings: SamplingRows | SamplingOnDevice): void {
  const [rows] = expectMatrix(logits, "sampleTokens: logits");
  if (isOnDevice(settings)) {
    const [, width] = expectMatrix(settings.uniforms, "sampleTokens: uniforms");
    expectFloats(settings.settings, [rows, kernelSampling.length], "sampleTokens: settings");
    expectFloats(settings.uniforms, [rows, width], "sampleTokens: uniforms");
    const { column } = settings;
    if (!(Number.isInteger(column) && column >= 0 && column < width))
      throw inputError(`sampleTokens: column ${column} of ${width} uniform numbers`);
    return;
  }
  for (const [name, values] of Object.entries(settings) as [string, { readonly length: number }][])
    if (values.length !== rows) throw inputError(`sampleTokens: ${name} has ${values.length} entries for ${rows} rows`);
}
