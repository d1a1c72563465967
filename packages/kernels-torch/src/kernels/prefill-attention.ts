import type { AttentionShape, CachePlan } from "@laconic/engine/kernels";
import { operator, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { cpuDenseAttention, scaleOf, type Rows } from "./dense-attention.ts";
import { heldRows, type NewTokens } from "./cached-attention.ts";
import type { TorchCache } from "./torch-cache.ts";
import { packRows, paddedLayout, paddedRows } from "./padding.ts";

const flashCpu = operator("aten::_scaled_dot_product_flash_attention_for_cpu", "", 2);
const transpose = operator("aten::transpose", "int");
const sigmoid = operator("aten::sigmoid");
const multiply = operator("aten::mul", "Tensor");

/** New sequences on the CPU, by flash attention without a mask: together where little is padded, else in turn. */
export function attendWithoutPast(
  device: TorchDevice,
  input: NewTokens,
  shape: AttentionShape,
  plan: CachePlan,
): Handle {
  const { tokens } = input;
  const { queryHeads, kvHeads, headDim } = shape;
  const { longest } = plan.layout;
  if (plan.past.length * longest > 2 * tokens)
    return inTurn(device, input, shape, plan, (part) => {
      const [mixed] = causal(device, part, shape);
      return mixed;
    });
  const padded = paddedLayout(device, plan.layout, tokens);
  const rows = (handle: Handle, width: number): Rows => paddedRows(device, { handle, stride: width }, padded, width);
  const [mixed] = cpuDenseAttention(device).forward(
    rows(input.query, queryHeads * headDim),
    rows(input.keys, kvHeads * headDim),
    rows(input.values, kvHeads * headDim),
    { sequences: padded.sequences, queries: longest, keys: longest, causal: true },
    shape,
  );
  return packRows(device, mixed, padded, queryHeads * headDim);
}

/**
 * One sequence after the other on the CPU, without a mask: flash attention of the new tokens to each other, and to what the
 * pages held before; the two are weighed by their log-sum-exps.
 */
export function attendInTurn(
  device: TorchDevice,
  input: NewTokens,
  cache: TorchCache,
  shape: AttentionShape,
  plan: CachePlan,
): Handle {
  const { torch } = device;
  const { queryHeads, kvHeads, headDim } = shape;
  return inTurn(device, input, shape, plan, (part, s) => {
    const past = plan.past[s] as number;
    const [own, ownSums] = causal(device, part, shape);
    if (past === 0) return own;
    const byHead = (name: "keys" | "values"): Handle => {
      const { handle, stride } = heldRows(device, cache, name, plan, past, s, 1);
      return torch.view(handle, [1, kvHeads, past, headDim], [kvHeads * stride, stride, headDim, 1]);
    };
    const [earlier, earlierSums] = torch.callMany(
      flashCpu,
      headsOf(device, part.query, part.length, queryHeads, headDim),
      byHead("keys"),
      byHead("values"),
      { float: 0 },
      { bool: false },
      null,
      scaleOf(shape),
    );
    // exp(a) / (exp(a) + exp(b)) = sigmoid(a - b); the sums are [1, heads, length] in any strides.
    const share = torch.view(
      torch.call(contiguous, torch.call(sigmoid, torch.subtract(ownSums, earlierSums)), { int: 0 }),
      [1, queryHeads, part.length, 1],
    );
    const far = device.widened(earlier);
    return device.rounded(torch.add(far, torch.call(multiply, torch.subtract(device.widened(own), far), share)));
  });
}

const contiguous = operator("aten::contiguous");

/** The new tokens of one sequence. */
interface Part extends Omit<NewTokens, "tokens"> {
  readonly length: number;
}

/** Calls `attend` for each sequence, which gives [1, queryHeads, length, headDim], and packs the results. */
function inTurn(
  device: TorchDevice,
  input: NewTokens,
  { queryHeads, kvHeads, headDim }: AttentionShape,
  { layout, past }: CachePlan,
  attend: (part: Part, sequence: number) => Handle,
): Handle {
  const { torch } = device;
  const out = torch.empty([input.tokens, queryHeads * headDim], device.working);
  for (let s = 0; s < past.length; s++) {
    const start = layout.offsets[s] as number;
    const length = (layout.offsets[s + 1] as number) - start;
    if (length === 0) continue;
    torch.run(() => {
      const rows = (x: Handle, heads: number): Handle =>
        torch.view(x, [length, heads * headDim], undefined, start * heads * headDim);
      const part = {
        query: rows(input.query, queryHeads),
        keys: rows(input.keys, kvHeads),
        values: rows(input.values, kvHeads),
        length,
      };
      const mixed = torch.call(transpose, attend(part, s), { int: 1 }, { int: 2 });
      torch.copyInto(torch.view(rows(out, queryHeads), [1, length, queryHeads, headDim]), mixed);
      return [];
    });
  }
  return out;
}

function causal(
  device: TorchDevice,
  { query, keys, values, length }: Part,
  shape: AttentionShape,
): readonly [mixed: Handle, logSumExp: Handle] {
  const { queryHeads, kvHeads, headDim } = shape;
  return device.torch.callMany(
    flashCpu,
    headsOf(device, query, length, queryHeads, headDim),
    headsOf(device, keys, length, kvHeads, headDim),
    headsOf(device, values, length, kvHeads, headDim),
    { float: 0 },
    { bool: true },
    null,
    scaleOf(shape),
  );
}

/** [length, heads * headDim] as [1, heads, length, headDim]. */
function headsOf({ torch }: TorchDevice, x: Handle, length: number, heads: number, headDim: number): Handle {
  const row = heads * headDim;
  return torch.view(x, [1, heads, length, headDim], [length * row, headDim, row, 1]);
}
