import { inputError, LaconicError } from "@laconic/core";
import type { AttentionShape, CachePlan, KeyValueCache, SegmentTree, SequenceLayout, Tensor } from "./contract.ts";

/** Number of elements; 1 for a scalar. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}

/** Rows and columns of a known matrix. */
export function matrixSize(tensor: Tensor): readonly [rows: number, columns: number] {
  return tensor.shape as readonly [number, number];
}

/** Names the operation in the error of a failed check. */
export function within<T>(operation: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof LaconicError ? inputError(`${operation}: ${error.message}`, error.detail) : error;
  }
}

/** @throws LaconicError `input_invalid` unless a float matrix. */
export function expectMatrix(tensor: Tensor, name?: string): readonly [rows: number, columns: number] {
  if (tensor.shape.length !== 2 || tensor.dtype !== "float")
    throw inputError(`${prefix(name)}expected a matrix of floats, got ${describeTensor(tensor)}`);
  return matrixSize(tensor);
}

export function expectFloats(tensor: Tensor, shape: readonly number[], name?: string): void {
  expectTensor(tensor, "float", shape, name);
}

export function expectInts(tensor: Tensor, length: number, name?: string): void {
  expectTensor(tensor, "int32", [length], name);
}

export function expectHeads(
  { queryHeads, kvHeads, headDim }: AttentionShape,
  rows: number,
  query: readonly Tensor[],
  keyValue: readonly Tensor[],
): void {
  if (queryHeads % kvHeads !== 0)
    throw inputError(`${queryHeads} query heads cannot share ${kvHeads} key/value heads evenly`);
  for (const tensor of query) expectFloats(tensor, [rows, queryHeads * headDim], "query heads");
  for (const tensor of keyValue) expectFloats(tensor, [rows, kvHeads * headDim], "key/value heads");
}

/** @throws LaconicError `input_invalid` unless segments fill the rows and form a tree. */
export function expectLayout(layout: SequenceLayout, rows: number): void {
  const { offsets, longest, tree } = layout;
  expectInts(layout.offsetsOnDevice, offsets.length, "offsets");
  for (let s = 0; s + 1 < offsets.length; s++) {
    const length = offsets[s + 1]! - offsets[s]!;
    if (length < 0 || length > longest)
      throw inputError(`sequence ${s} has length ${length}, above the layout's longest, ${longest}`);
  }
  if (offsets[0] !== 0 || offsets.at(-1) !== rows)
    throw inputError(`the layout covers rows ${offsets[0]} to ${offsets.at(-1)} of ${rows}`);
  if (tree) expectTree(layout, tree);
}

function expectTree({ offsets, longest }: SequenceLayout, tree: SegmentTree): void {
  const { parents, parentsOnDevice } = tree;
  const count = offsets.length - 1;
  const refuse = (segment: number, why: string): never => {
    throw inputError(`segment ${segment} ${why}`, { segment });
  };
  if (parents.length !== count) throw inputError(`${parents.length} parents for ${count} segments`);
  expectInts(parentsOnDevice, count, "parents");
  const ends = new Int32Array(count);
  for (let s = 0; s < count; s++) {
    const [parent, length] = [parents[s]!, offsets[s + 1]! - offsets[s]!];
    if (length === 0) refuse(s, "is empty");
    if (!(parent >= -1 && parent < s)) refuse(s, `continues ${parent}`);
    let before = s - 1;
    while (before > parent) before = parents[before]!;
    if (parent >= 0 && before !== parent) refuse(s, `continues ${parent}, whose rows end before it`);
    ends[s] = length + (parent < 0 ? 0 : ends[parent]!);
    if (ends[s]! > longest) refuse(s, `ends ${ends[s]} rows after its root, above the layout's longest, ${longest}`);
  }
}

export function expectCacheHeads(cache: KeyValueCache, { kvHeads, headDim }: AttentionShape): void {
  if (cache.kvHeads !== kvHeads || cache.headDim !== headDim)
    throw inputError(
      `the cache has ${cache.kvHeads} heads of ${cache.headDim}, the keys have ${kvHeads} of ${headDim}`,
    );
}

/** @throws LaconicError `input_invalid` unless the tokens fill `tokens` rows and sequences fit their pages. */
export function expectCachePlan(
  { layout, table, past, tableOnDevice, pastOnDevice }: CachePlan,
  cache: KeyValueCache,
  tokens: number,
): void {
  expectLayout(layout, tokens);
  if (layout.tree) throw inputError(`a cache continues sequences, not a tree`);
  const sequences = layout.offsets.length - 1;
  const width = sequences === 0 ? 0 : table.length / sequences;
  expectTensor(tableOnDevice, "int32", [sequences, width], "table");
  expectInts(pastOnDevice, sequences, "past");
  for (let s = 0; s < sequences; s++) {
    const held = past[s]!;
    const end = held + layout.offsets[s + 1]! - layout.offsets[s]!;
    if (!(held >= 0 && end <= width * cache.pageSize))
      throw inputError(`sequence ${s} would hold ${end} positions in ${width} pages of ${cache.pageSize}`, {
        sequence: s,
        positions: end,
      });
    for (let i = 0; i < width; i++) {
      const page = table[s * width + i]!;
      if (!(page >= 0 && page < cache.pages))
        throw inputError(`sequence ${s} has page ${page} of ${cache.pages}`, { sequence: s, page });
    }
  }
}

export function expectPageCopies(
  cache: KeyValueCache,
  from: Int32Array,
  to: Int32Array,
  lengths: Int32Array,
  source: KeyValueCache,
): void {
  if (cache.kvHeads !== source.kvHeads || cache.headDim !== source.headDim)
    throw inputError(
      `${source.kvHeads} heads of ${source.headDim} do not fit a cache with ${cache.kvHeads} of ${cache.headDim}`,
    );
  const most = Math.min(cache.pageSize, source.pageSize);
  from.forEach((page, i) => {
    const [target, length] = [to[i]!, lengths[i]!];
    if (!(page >= 0 && page < source.pages && target >= 0 && target < cache.pages && length >= 0 && length <= most))
      throw inputError(
        `${length} positions from page ${page} of ${source.pages} to page ${target} of ${cache.pages} with ${most} positions`,
      );
  });
}

/** Sizes of the output layer. */
export function headSize(hidden: Tensor, weight: Tensor): readonly [rows: number, width: number, vocabulary: number] {
  const [vocabulary, width] = matrixSize(weight);
  return [hidden.shape[0]!, width, vocabulary];
}

/** Rows and total width of joined matrices. */
export function joinedSize(parts: readonly Tensor[]): readonly [rows: number, width: number] {
  const width = parts.reduce((sum, { shape }) => sum + shape[1]!, 0);
  return [parts[0]?.shape[0] ?? 0, width];
}

/** Min and max, without a device read; zeros if empty. */
export function rangeOf(values: Int32Array): readonly [least: number, most: number] {
  let least = values[0] ?? 0;
  let most = values[0] ?? 0;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

export function expectTensor(tensor: Tensor, dtype: Tensor["dtype"], shape: readonly number[], name?: string): void {
  if (tensor.dtype !== dtype || !sameShape(tensor.shape, shape))
    throw inputError(`${prefix(name)}expected ${dtype} [${shape.join(", ")}], got ${describeTensor(tensor)}`);
}

function sameShape(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** A decode step has hundreds of checks, so only failed ones join texts. */
function prefix(name: string | undefined): string {
  return name === undefined ? "" : `${name}: `;
}

export function describeTensor(tensor: Tensor): string {
  return `${tensor.dtype} [${tensor.shape.join(", ")}]`;
}
