import type { AttentionShape } from "@laconic/kernels";
import { operator, type Handle } from "../native/torch.ts";
import { scaleOf } from "./attention.ts";
import type { TorchDevice } from "../torch-device.ts";

const flashCpu = operator("aten::_scaled_dot_product_flash_attention_for_cpu", "", 2);
const bmm = operator("aten::bmm");
const softmax = operator("aten::_softmax");
const transpose = operator("aten::transpose", "int");
const contiguous = operator("aten::contiguous");

/** What one call attends with. */
export interface CachedAttention {
  /** [S * longest, queryHeads * headDim]. */
  readonly query: Handle;
  /** [S * kvHeads, reach, headDim], one head every `keyStride` elements. */
  readonly keys: Handle;
  readonly values: Handle;
  readonly mask: Handle | null;
  readonly sequences: number;
  readonly longest: number;
  readonly reach: number;
  /** Elements from one head's keys to the next's. */
  readonly keyStride: number;
}

export type Attend = (device: TorchDevice, input: CachedAttention, shape: AttentionShape) => Handle;

/** Flash attention with a mask. One new token per sequence: the query heads of a group stand in for its tokens. */
export const attendCpu: Attend = (device, input, shape) => {
  const { torch } = device;
  const { queryHeads, kvHeads, headDim } = shape;
  const { sequences, longest, reach, keyStride, query, mask } = input;
  const group = queryHeads / kvHeads;
  const byHead = (held: Handle): Handle =>
    torch.view(held, [sequences, kvHeads, reach, headDim], [kvHeads * keyStride, keyStride, headDim, 1]);
  const single = longest === 1;
  const row = queryHeads * headDim;
  const queries = single
    ? torch.view(query, [sequences, kvHeads, group, headDim])
    : torch.view(query, [sequences, queryHeads, longest, headDim], [longest * row, headDim, row, 1]);
  const additive =
    mask === null ? null : { some: torch.view(mask, [sequences, 1, longest, reach], [longest * reach, 0, reach, 1]) };
  const [mixed] = torch.callMany(
    flashCpu,
    queries,
    byHead(input.keys),
    byHead(input.values),
    ...[{ float: 0 }, { bool: false }, additive, scaleOf(shape)],
  );
  const rows = single ? mixed : torch.call(transpose, mixed, { int: 1 }, { int: 2 });
  return torch.call(contiguous, rows, { int: 0 });
};

/** softmax(q k^T + mask) v with plain products, the query heads of a group side by side: any device can do it. */
export const attendMath: Attend = (device, input, shape) => {
  const { torch } = device;
  const { queryHeads, kvHeads, headDim, scale } = shape;
  const { sequences, longest, reach, keyStride, query, mask } = input;
  const group = queryHeads / kvHeads;
  const row = queryHeads * headDim;
  const batch = sequences * kvHeads;
  // [S, longest, kvHeads, group, headDim] to [S, kvHeads, group, longest, headDim].
  const grouped = torch.view(
    query,
    [sequences, kvHeads, group, longest, headDim],
    [longest * row, group * headDim, headDim, row, 1],
  );
  const queries = torch.view(torch.call(contiguous, grouped, { int: 0 }), [batch, group * longest, headDim]);
  const keysTransposed = torch.view(input.keys, [batch, headDim, reach], [keyStride, 1, headDim]);
  let scores = torch.multiplyByNumber(torch.call(bmm, queries, keysTransposed), scale);
  scores = torch.view(scores, [sequences, kvHeads * group, longest, reach]);
  if (mask !== null)
    scores = torch.add(scores, torch.view(mask, [sequences, 1, longest, reach], [longest * reach, 0, reach, 1]));
  const shares = torch.view(torch.call(softmax, scores, { int: 3 }, { bool: false }), [batch, group * longest, reach]);
  const mixed = torch.view(
    torch.call(bmm, shares, input.values),
    [sequences, longest, kvHeads, group, headDim],
    [longest * row, headDim, group * longest * headDim, longest * headDim, 1],
  );
  return torch.call(contiguous, mixed, { int: 0 });
};
