import { kernelSampling, LaconicError } from "@laconic/core";
import type {
  AttentionShape,
  CachePlan,
  KeyValueCache,
  SamplingOnDevice,
  SamplingRows,
  SequenceLayout,
  Tensor,
} from "./contract.ts";
import { isOnDevice } from "./pack-sampling.ts";

/** Elements of an array of this shape; 1 for a scalar. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}

/** @throws LaconicError `input_invalid` when the tensor is not two-dimensional. */
export function matrix(tensor: Tensor, place: string): readonly [rows: number, columns: number] {
  const [rows, columns] = tensor.shape;
  if (tensor.shape.length !== 2 || rows === undefined || columns === undefined)
    throw new LaconicError("input_invalid", `${place}: expected a matrix, got ${describe(tensor)}`);
  return [rows, columns];
}

/** @throws LaconicError `input_invalid` when the tensor has another shape or holds integers. */
export function expectFloats(tensor: Tensor, shape: readonly number[], place: string): void {
  expect(tensor, "float", shape, place);
}

/** @throws LaconicError `input_invalid` when the tensor is not a list of `length` integers. */
export function expectInts(tensor: Tensor, length: number, place: string): void {
  expect(tensor, "int32", [length], place);
}

/** @throws LaconicError `input_invalid` when the tensors do not hold the shape's heads for `rows` tokens, or heads do not share evenly. */
export function expectHeads(
  { queryHeads, kvHeads, headDim }: AttentionShape,
  rows: number,
  query: readonly Tensor[],
  keyValue: readonly Tensor[],
  place: string,
): void {
  if (queryHeads % kvHeads !== 0)
    throw new LaconicError(
      "input_invalid",
      `${place}: ${queryHeads} query heads cannot share ${kvHeads} key/value heads evenly`,
    );
  for (const tensor of query) expectFloats(tensor, [rows, queryHeads * headDim], `${place}: query heads`);
  for (const tensor of keyValue) expectFloats(tensor, [rows, kvHeads * headDim], `${place}: key/value heads`);
}

/** @throws LaconicError `input_invalid` when the sequences do not fill the rows or one is longer than `longest`. */
export function expectLayout(layout: SequenceLayout, rows: number, place: string): void {
  const { offsets, longest } = layout;
  expectInts(layout.offsetsOnDevice, offsets.length, `${place}: offsets`);
  for (let s = 0; s + 1 < offsets.length; s++) {
    const length = (offsets[s + 1] as number) - (offsets[s] as number);
    if (length < 0 || length > longest)
      throw new LaconicError(
        "input_invalid",
        `${place}: sequence ${s} has length ${length}, the layout's longest is ${longest}`,
      );
  }
  if (offsets[0] !== 0 || offsets.at(-1) !== rows)
    throw new LaconicError(
      "input_invalid",
      `${place}: the layout covers rows ${offsets[0]} to ${offsets.at(-1)} of ${rows}`,
    );
}

/** @throws LaconicError `input_invalid` when a cache holds other heads than the keys have. */
export function expectCacheHeads(cache: KeyValueCache, { kvHeads, headDim }: AttentionShape, place: string): void {
  if (cache.kvHeads !== kvHeads || cache.headDim !== headDim)
    throw new LaconicError(
      "input_invalid",
      `${place}: the cache holds ${cache.kvHeads} heads of ${cache.headDim}, the keys have ${kvHeads} of ${headDim}`,
    );
}

/** @throws LaconicError `input_invalid` when the new tokens do not fill `tokens` rows or a sequence does not fit its pages. */
export function expectCachePlan(
  { layout, table, past, tableOnDevice, pastOnDevice }: CachePlan,
  cache: KeyValueCache,
  tokens: number,
  place: string,
): void {
  expectLayout(layout, tokens, place);
  const sequences = layout.offsets.length - 1;
  const width = sequences === 0 ? 0 : table.length / sequences;
  expect(tableOnDevice, "int32", [sequences, width], `${place}: table`);
  expectInts(pastOnDevice, sequences, `${place}: past`);
  for (let s = 0; s < sequences; s++) {
    const held = past[s] as number;
    const end = held + (layout.offsets[s + 1] as number) - (layout.offsets[s] as number);
    if (!(held >= 0 && end <= width * cache.pageSize))
      throw new LaconicError(
        "input_invalid",
        `${place}: sequence ${s} would hold ${end} positions in ${width} pages of ${cache.pageSize}`,
        { sequence: s, positions: end },
      );
    for (let i = 0; i < width; i++) {
      const page = table[s * width + i] as number;
      if (!(page >= 0 && page < cache.pages))
        throw new LaconicError("input_invalid", `${place}: sequence ${s} names page ${page} of ${cache.pages}`, {
          sequence: s,
          page,
        });
    }
  }
}

/** @throws LaconicError `input_invalid` when a copy leaves a cache, or the two caches hold other heads. */
export function expectPageCopies(
  cache: KeyValueCache,
  from: Int32Array,
  to: Int32Array,
  lengths: Int32Array,
  source: KeyValueCache,
): void {
  if (cache.kvHeads !== source.kvHeads || cache.headDim !== source.headDim)
    throw new LaconicError(
      "input_invalid",
      `copyCachePages: ${source.kvHeads} heads of ${source.headDim} do not fit a cache with ${cache.kvHeads} of ${cache.headDim}`,
    );
  const most = Math.min(cache.pageSize, source.pageSize);
  from.forEach((page, i) => {
    const [target, length] = [to[i] as number, lengths[i] as number];
    if (!(page >= 0 && page < source.pages && target >= 0 && target < cache.pages && length >= 0 && length <= most))
      throw new LaconicError(
        "input_invalid",
        `copyCachePages: ${length} positions from page ${page} of ${source.pages} to page ${target} of ${cache.pages} with ${most} positions`,
      );
  });
}

/** @throws LaconicError `input_invalid` when there is not one token per row of logits, or more likeliest ones than tokens are asked for. */
export function expectTokenLogProbs(logits: Tensor, tokens: Tensor, count: number): void {
  const [rows, vocabulary] = matrix(logits, "tokenLogProbs: logits");
  expectFloats(logits, [rows, vocabulary], "tokenLogProbs: logits");
  expectInts(tokens, rows, "tokenLogProbs: tokens");
  if (!(Number.isInteger(count) && count >= 0 && count <= vocabulary))
    throw new LaconicError("input_invalid", `tokenLogProbs: the ${count} likeliest of ${vocabulary} tokens`);
}

/** @throws LaconicError `input_invalid` when there is no vector or matrix, or rows are no list of integers. */
export function expectPicked(x: Tensor, rows: Tensor, place: string): void {
  if (x.shape.length !== 1 && x.shape.length !== 2)
    throw new LaconicError("input_invalid", `${place}: expected a vector or a matrix, got ${describe(x)}`);
  expectInts(rows, rows.shape[0] ?? 0, `${place}: rows`);
}

/** @throws LaconicError `input_invalid` when the values are not rows like those of `into`, one for each row number. */
export function expectRowWrites(into: Tensor, rows: Tensor, values: Tensor): void {
  expectPicked(into, rows, "writeRows");
  expect(values, into.dtype, [rows.shape[0] as number, ...into.shape.slice(1)], "writeRows: values");
}

/** @throws LaconicError `input_invalid` when there are not as many values as the shape has elements. */
export function expectFilled(values: { readonly length: number }, shape: readonly number[], place: string): void {
  if (values.length !== sizeOf(shape))
    throw new LaconicError(
      "input_invalid",
      `${place}: ${values.length} values do not fill shape [${shape.join(", ")}]`,
    );
}

/** Tensors of the head: those of `headLogProbs`, and what its gradient gets beside them. */
export interface HeadTensors {
  readonly hidden: Tensor;
  readonly weight: Tensor;
  readonly inverseTemperature: Tensor;
  readonly logSumExp?: Tensor;
  readonly dLogProbs?: Tensor;
}

/**
 * Checks the arguments of `headLogProbs` and of its gradient, but for the targets.
 * @throws LaconicError `input_invalid` when hidden and weight are no matrices of one width, or there is not one number for each row
 */
export function expectHead(
  { hidden, weight, ...numbers }: HeadTensors,
  place: string,
): readonly [rows: number, width: number, vocabulary: number] {
  const [rows, width] = matrix(hidden, `${place}: hidden`);
  const [vocabulary] = matrix(weight, `${place}: weight`);
  expectFloats(weight, [vocabulary, width], `${place}: weight`);
  for (const [name, tensor] of Object.entries(numbers)) expectFloats(tensor, [rows], `${place}: ${name}`);
  return [rows, width, vocabulary];
}

/**
 * Checks the arguments of `sampleTokens`.
 * @returns rows and vocabulary of the logits
 * @throws LaconicError `input_invalid` when the logits are no matrix of floats, or a setting has not one value for each row
 */
export function expectSampling(
  logits: Tensor,
  settings: SamplingRows | SamplingOnDevice,
): readonly [rows: number, vocabulary: number] {
  const [rows, vocabulary] = matrix(logits, "sampleTokens: logits");
  expectFloats(logits, [rows, vocabulary], "sampleTokens: logits");
  if (isOnDevice(settings)) {
    const [, width] = matrix(settings.uniforms, "sampleTokens: uniforms");
    expectFloats(settings.settings, [rows, kernelSampling.length], "sampleTokens: settings");
    expectFloats(settings.uniforms, [rows, width], "sampleTokens: uniforms");
    const { column } = settings;
    if (!(Number.isInteger(column) && column >= 0 && column < width))
      throw new LaconicError("input_invalid", `sampleTokens: column ${column} of ${width} uniform numbers`);
    return [rows, vocabulary];
  }
  for (const [name, values] of Object.entries(settings) as [string, { readonly length: number }][])
    if (values.length !== rows)
      throw new LaconicError("input_invalid", `sampleTokens: ${name} has ${values.length} entries for ${rows} rows`);
  return [rows, vocabulary];
}

/** Smallest and largest number of a list, by which indices are checked without asking the device; zeros for an empty one. */
export function rangeOf(values: Int32Array): readonly [least: number, most: number] {
  let least = values[0] ?? 0;
  let most = values[0] ?? 0;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

function expect(tensor: Tensor, dtype: Tensor["dtype"], shape: readonly number[], place: string): void {
  if (tensor.dtype !== dtype || tensor.shape.length !== shape.length || tensor.shape.some((n, i) => n !== shape[i]))
    throw new LaconicError(
      "input_invalid",
      `${place}: expected ${dtype} [${shape.join(", ")}], got ${describe(tensor)}`,
    );
}

function describe(tensor: Tensor): string {
  return `${tensor.dtype} [${tensor.shape.join(", ")}]`;
}
