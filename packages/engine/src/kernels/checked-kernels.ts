import { inputError } from "@laconic/core";
import { kernelSampling } from "@laconic/core/backends";
import type { Kernels, SamplingOnDevice, SamplingRows, Tensor } from "./contract.ts";
import type { TensorScopes } from "./handles.ts";
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
  within,
} from "./shape-checks.ts";

/** Integers that must lie in [0, limit). */
type Indices = readonly [ids: Tensor, limit: number, name: string];

type Check<Operation> = Operation extends (...args: infer Arguments) => unknown
  ? (...args: Arguments) => Indices | void
  : never;

/** Without device reads. Returns the indices that the set has to check. */
const checks = {
  upload: (values, shape) => expectFilled(values, shape),
  reshape: (tensor, shape) => expectFilled({ length: sizeOf(tensor.shape) }, shape),
  assign(into, from) {
    if (into.length !== from.length) throw inputError(`${from.length} tensors for ${into.length}`);
    into.forEach((tensor, i) => expectFloats(from[i]!, tensor.shape, `tensor ${i}`));
  },
  columns(x, start, count) {
    const [, width] = expectMatrix(x, "x");
    if (!(start >= 0 && count > 0 && start + count <= width))
      throw inputError(`${start} to ${start + count} of a matrix with ${width}`);
  },
  joinColumns(parts) {
    if (parts.length === 0) throw inputError("no matrices");
    const [rows] = joinedSize(parts);
    for (const [i, part] of parts.entries()) {
      const [, columns] = expectMatrix(part, `part ${i}`);
      expectFloats(part, [rows, columns], `part ${i}`);
    }
  },

  add: (a, b) => expectAlike(a, "a", b, "b"),
  multiply: (a, b) => expectAlike(a, "a", b, "b"),
  scaled: (x) => expectFloats(x, x.shape),
  accumulate: (into, delta) => expectAlike(into, "into", delta, "delta"),
  swiGlu(gate, up) {
    expectMatrix(gate, "gate");
    expectFloats(up, gate.shape, "up");
  },
  swiGluBackward(dOut, gate, up) {
    expectMatrix(gate, "gate");
    expectFloats(dOut, gate.shape, "dOut");
    expectFloats(up, gate.shape, "up");
  },

  gatherRows(table, rows) {
    const [limit] = expectMatrix(table, "table");
    expectInts(rows, rows.shape[0] ?? 0, "rows");
    return [rows, limit, "rows"];
  },
  scatterAddRows(delta, rows, rowCount) {
    const [count] = expectMatrix(delta, "delta");
    expectInts(rows, count, "rows");
    return [rows, rowCount, "rows"];
  },
  placeRows({ tensor }, delta, rows) {
    const [limit, width] = expectMatrix(tensor, "into");
    expectFloats(delta, [rows.shape[0] ?? 0, width], "delta");
    expectInts(rows, rows.shape[0] ?? 0, "rows");
    return [rows, limit, "rows"];
  },
  pickRows: (x, rows) => expectPicked(x, rows),
  writeRows(into, rows, values) {
    const indices = expectPicked(into, rows);
    expectTensor(values, into.dtype, [rows.shape[0]!, ...into.shape.slice(1)], "values");
    return indices;
  },
  advance: (x) => expectInts(x, x.shape[0] ?? 0),

  linear: (x, weight, bias) => void expectProduct(x, weight, bias),
  linearOnto: (into, x, weight, bias) => expectFloats(into, expectProduct(x, weight, bias), "into"),
  headLogits: (hidden, weight) => void expectProduct(hidden, weight),
  linearBackward(dOut, x, weight, _, { dWeight, dBias } = {}) {
    const size = expectProduct(x, weight);
    expectFloats(dOut, size, "dOut");
    if (dWeight) expectFloats(dWeight.tensor, weight.shape, "into");
    if (dBias) expectFloats(dBias.tensor, [size[1]], "into");
  },

  rmsNorm(x, weight) {
    const [, width] = expectMatrix(x, "x");
    expectFloats(weight, [width], "weight");
  },
  rmsNormBackward(dOut, x, weight, invRms) {
    const [rows, width] = expectMatrix(x, "x");
    expectFloats(dOut, x.shape, "dOut");
    expectFloats(weight, [width], "weight");
    expectFloats(invRms, [rows], "invRms");
  },
  rotary(x, { cos, sin }, positions, heads) {
    const [rows] = expectMatrix(x, "x");
    const [limit, half] = expectMatrix(cos, "cos");
    expectFloats(x, [rows, 2 * heads * half], "x");
    expectFloats(sin, cos.shape, "sin");
    expectInts(positions, rows, "positions");
    return [positions, limit, "positions"];
  },

  attention(q, k, v, shape, layout) {
    const [rows] = expectMatrix(q, "q");
    expectHeads(shape, rows, [q], [k, v]);
    expectLayout(layout, rows);
  },
  attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
    const [rows] = expectMatrix(q, "q");
    expectHeads(shape, rows, [q, out, dOut], [k, v]);
    expectFloats(logSumExp, [rows, shape.queryHeads], "logSumExp");
    expectLayout(layout, rows);
  },

  headLogProbs: (hidden, weight, targets, inverseTemperature) =>
    expectHead({ hidden, weight, targets }, { inverseTemperature }),
  headLogProbsBackward(dLogProbs, { inverseTemperature, logSumExp, ...forward }, _, { dWeight } = {}) {
    const { weight } = forward;
    if (dWeight) expectFloats(dWeight.tensor, weight.shape, "into");
    return expectHead(forward, { inverseTemperature, logSumExp, dLogProbs });
  },

  sampleTokens: expectSampling,
  tokenLogProbs(logits, tokens, count) {
    const [rows, vocabulary] = expectMatrix(logits, "logits");
    expectInts(tokens, rows, "tokens");
    if (!(Number.isInteger(count) && count >= 0 && count <= vocabulary))
      throw inputError(`expected at most ${vocabulary} most likely tokens, got ${count}`);
  },

  sumSquares: (tensors) => tensors.forEach((tensor) => expectFloats(tensor, tensor.shape)),
  adamW(tensors) {
    for (const { param, ...others } of tensors)
      for (const [name, tensor] of Object.entries(others)) expectFloats(tensor, param.shape, name);
  },
} satisfies { readonly [Name in keyof Kernels]?: Check<NonNullable<Kernels[Name]>> };

/** @throws LaconicError `input_invalid` for an integer outside [0, limit): the device would read out of bounds */
export type IndexCheck = (ids: Tensor, limit: number, location: string) => void;

/** Checks indices by the known bounds of a tensor, without a device read. */
export function checkRanges<T extends Tensor & { readonly range: readonly [min: number, max: number] }>(
  scopes: TensorScopes<T>,
): IndexCheck {
  return (ids, limit, location) => {
    const [min, max] = scopes.get(ids).range;
    if (ids.shape[0] === 0 || (min >= 0 && max < limit)) return;
    const index = min < 0 ? min : max;
    throw inputError(`${location}: index ${index} is outside [0, ${limit})`, { index });
  };
}

/**
 * Checks shapes, types and indices before calling a kernel set, which checks tensors, caches and numbers.
 * @throws LaconicError `input_invalid` for shapes and indices that do not fit
 */
export function checkedKernels(checkIndices: IndexCheck, set: Kernels): Kernels {
  const checked = Object.entries(checks).flatMap(([name, check]) => {
    const run = set[name as keyof typeof checks] as ((...args: readonly unknown[]) => unknown) | undefined;
    if (!run) return [];
    const both = (...args: readonly unknown[]): unknown => {
      const indices = within(name, () => (check as (...args: readonly unknown[]) => Indices | void)(...args));
      if (indices) checkIndices(indices[0], indices[1], `${name}: ${indices[2]}`);
      return run(...args);
    };
    return [[name, both]];
  });
  return { ...set, ...(Object.fromEntries(checked) as Partial<Kernels>) };
}

function expectFilled(values: { readonly length: number }, shape: readonly number[]): void {
  if (values.length !== sizeOf(shape))
    throw inputError(`${values.length} values do not fill shape [${shape.join(", ")}]`);
}

function expectAlike(first: Tensor, firstName: string, second: Tensor, secondName: string): void {
  expectFloats(first, first.shape, firstName);
  expectFloats(second, first.shape, secondName);
}

function expectPicked(x: Tensor, rows: Tensor): Indices {
  if (x.shape.length !== 1 && x.shape.length !== 2)
    throw inputError(`expected a vector or a matrix, got ${describeTensor(x)}`);
  expectInts(rows, rows.shape[0] ?? 0, "rows");
  return [rows, x.shape[0]!, "rows"];
}

function expectProduct(x: Tensor, weight: Tensor, bias?: Tensor): readonly [rows: number, outputs: number] {
  const [rows] = expectMatrix(x, "x");
  const [outputs, inner] = expectMatrix(weight, "weight");
  expectFloats(x, [rows, inner], "x");
  if (bias) expectFloats(bias, [outputs], "bias");
  return [rows, outputs];
}

function expectHead(
  { hidden, weight, targets }: Readonly<Record<"hidden" | "weight" | "targets", Tensor>>,
  numbers: Readonly<Record<string, Tensor>>,
): Indices {
  const [rows, width] = expectMatrix(hidden, "hidden");
  const [vocabulary] = expectMatrix(weight, "weight");
  expectFloats(weight, [vocabulary, width], "weight");
  expectInts(targets, rows, "targets");
  for (const [name, tensor] of Object.entries(numbers)) expectFloats(tensor, [rows], name);
  return [targets, vocabulary, "targets"];
}

function expectSampling(logits: Tensor, settings: SamplingRows | SamplingOnDevice): void {
  const [rows] = expectMatrix(logits, "logits");
  if (isOnDevice(settings)) {
    const [, width] = expectMatrix(settings.uniforms, "uniforms");
    expectFloats(settings.settings, [rows, kernelSampling.length], "settings");
    expectFloats(settings.uniforms, [rows, width], "uniforms");
    const { column } = settings;
    if (!(Number.isInteger(column) && column >= 0 && column < width))
      throw inputError(`column ${column} of ${width} uniform numbers`);
    return;
  }
  for (const [name, values] of Object.entries(settings) as [string, { readonly length: number }][])
    if (values.length !== rows) throw inputError(`${name} has ${values.length} entries for ${rows} rows`);
}
