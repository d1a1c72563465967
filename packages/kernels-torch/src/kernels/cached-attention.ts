import { longestReach, pageRun, seesEverything } from "@laconic/engine/kernels";
import type { AttentionShape, CachePlan, KeyValueCache } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Handle, type Handles } from "../native/torch.ts";
import { packRows, padRows, paddedLayout, paddedRows } from "./padding.ts";
import type { TorchDevice } from "../torch-device.ts";
import { cpuDenseAttention, scaleOf, type Rows } from "./dense-attention.ts";
import type { TorchTensor } from "../tensors.ts";

/** Max elements of scores, or of gathered keys. */
const maxElements = 2 ** 25;

/** Packed: query [N, queryHeads * headDim], keys and values [N, kvHeads * headDim]. */
export interface NewTokens {
  readonly query: Handle;
  readonly keys: Handle;
  readonly values: Handle;
  readonly tokens: number;
}

/** Matrix [reach, headDim] per head, rows `stride` elements apart. */
interface HeldRows {
  readonly handle: Handle;
  readonly stride: number;
}

/** softmax(q k^T + mask) v with plain float32 products in tiles. */
export function attendTiled(
  device: TorchDevice,
  { query, tokens }: NewTokens,
  cache: TorchCache,
  shape: AttentionShape,
  plan: CachePlan,
): Handle {
  const { torch } = device;
  const { queryHeads, kvHeads, headDim } = shape;
  const row = queryHeads * headDim;
  const reach = longestReach(plan);
  const layout = paddedLayout(device, plan.layout, tokens);
  const { sequences, longest } = layout;
  const padded = padRows(device, query, layout, row, device.working);
  const everything = seesEverything(plan, reach);
  const copied = pageRun(plan) < 0 || device.working !== scalarType.float32;
  const value = Math.max(queryHeads * longest * reach, copied ? kvHeads * reach * headDim : 0);
  const many = Math.max(1, Math.min(sequences, Math.floor(maxElements / value)));
  const tall = Math.max(1, Math.min(longest, Math.floor(maxElements / (many * queryHeads * reach))));
  const attend = (first: number, count: number, from: number, length: number): Handle =>
    torch.run(() => {
      const keys = heldRows(device, cache, "keys", plan, reach, first, count);
      const values = heldRows(device, cache, "values", plan, reach, first, count);
      const mask = everything ? null : maskOf(device, cache, plan, reach, { first, count, from, length });
      const part = torch.view(
        padded,
        [count, kvHeads, queryHeads / kvHeads, length, headDim],
        [longest * row, (queryHeads / kvHeads) * headDim, headDim, row, 1],
        (first * longest + from) * row,
      );
      // A decode step's queries are in order.
      const ordered = longest === 1 ? part : torch.contiguous(part);
      return attendOnce(device, ordered, { keys, values, mask, count, length, reach }, shape);
    });
  if (many === sequences && tall === longest) return packRows(device, attend(0, sequences, 0, longest), layout, row);
  const out = torch.empty([sequences * longest, row], device.working);
  for (let first = 0; first < sequences; first += many)
    for (let from = 0; from < longest; from += tall) {
      const [count, length] = [Math.min(many, sequences - first), Math.min(tall, longest - from)];
      torch.run(() => {
        const target = torch.view(out, [count, length, row], [longest * row, row, 1], (first * longest + from) * row);
        torch.copyInto(target, torch.view(attend(first, count, from, length), [count, length, row]));
      });
    }
  return packRows(device, out, layout, row);
}

/** A view of consecutive single pages, else a copy. */
function heldRows(
  device: TorchDevice,
  cache: TorchCache,
  name: "keys" | "values",
  plan: CachePlan,
  reach: number,
  first: number,
  count: number,
): HeldRows {
  const { store, torch } = device;
  const { pages, pageSize, kvHeads, headDim } = cache;
  const held = cache[name].handle;
  const matrixSize = pageSize * headDim;
  const width = plan.table.length / plan.past.length;
  const start = pageRun(plan);
  const page = start >= 0 ? start + first : count === 1 && width === 1 ? plan.table[first]! : -1;
  if (page >= 0)
    return {
      handle: torch.view(
        held,
        [count * kvHeads, reach, headDim],
        [matrixSize, headDim, 1],
        page * kvHeads * matrixSize,
      ),
      stride: matrixSize,
    };
  const needed = Math.max(1, Math.ceil(reach / pageSize));
  const table = torch.view(device.indices(store.get(plan.tableOnDevice)), [count, needed], [width, 1], first * width);
  const chosen = torch.view(torch.contiguous(table), [count * needed]);
  const within = Math.min(reach, pageSize);
  const source = torch.view(held, [pages, kvHeads, within, headDim], [kvHeads * matrixSize, matrixSize, headDim, 1]);
  const picked = torch.selectRows(source, chosen);
  if (needed === 1) return { handle: torch.view(picked, [count * kvHeads, reach, headDim]), stride: reach * headDim };
  const byHead = torch.transpose(torch.view(picked, [count, needed, kvHeads, matrixSize]), 1, 2);
  const whole = torch.contiguous(byHead);
  const stride = needed * matrixSize;
  return { handle: torch.view(whole, [count * kvHeads, reach, headDim], [stride, headDim, 1]), stride };
}

/** Additive float32 mask [count, length, reach]. */
function maskOf(
  device: TorchDevice,
  cache: TorchCache,
  plan: CachePlan,
  reach: number,
  { first, count, from, length }: Readonly<Record<"first" | "count" | "from" | "length", number>>,
): Handle {
  const { store, torch } = device;
  const past = store.get(plan.pastOnDevice);
  return store.derive(past, `mask ${reach} ${first} ${count} ${from} ${length}`, () => {
    const numbers = store.derive(cache.keys, `numbers ${Math.ceil(reach / 1024)}`, () => {
      const upTo = 1024 * Math.ceil(reach / 1024);
      return torch.upload(
        Float32Array.from({ length: upTo }, (_, i) => i),
        [upTo],
      );
    });
    const held = store.derive(past, "float32", () => torch.cast(past.handle, scalarType.float32));
    const last = torch.add(
      torch.view(held, [count, 1, 1], [1, 1, 1], first),
      torch.view(numbers, [1, length, 1], [1, 1, 1], from),
    );
    const hidden = torch.call(aten.greater, torch.view(numbers, [1, 1, reach]), last);
    const [no, yes] = [torch.full([1], scalarType.float32, -Infinity), torch.full([1], scalarType.float32, 0)];
    return torch.call(aten.where, hidden, no, yes);
  });
}

interface Held {
  readonly keys: HeldRows;
  readonly values: HeldRows;
  readonly mask: Handle | null;
  readonly count: number;
  readonly length: number;
  readonly reach: number;
}

/** [count, kvHeads, group, length, headDim] to [count * length, queryHeads * headDim]. */
function attendOnce(
  device: TorchDevice,
  query: Handle,
  { keys, values, mask, count, length, reach }: Held,
  { queryHeads, kvHeads, headDim, scale }: AttentionShape,
): Handle {
  const { torch } = device;
  const group = queryHeads / kvHeads;
  const row = queryHeads * headDim;
  const batch = count * kvHeads;
  // Rounded scores would make the sampler's log-probs differ from the trainer's.
  const wide = ({ handle, stride }: HeldRows, transposed: boolean): Handle => {
    const [rows, step] =
      device.working === scalarType.float32
        ? [handle, stride]
        : [device.widened(torch.contiguous(handle)), reach * headDim];
    return transposed
      ? torch.view(rows, [batch, headDim, reach], [step, 1, headDim])
      : torch.view(rows, [batch, reach, headDim], [step, headDim, 1]);
  };
  const { float32 } = scalarType;
  const rows = group * length;
  const queries = torch.view(device.widened(query), [batch, rows, headDim]);
  const products = torch.empty([batch, rows, reach], float32);
  torch.bmmInto(products, queries, wide(keys, true), scale);
  let scores = torch.view(products, [count, kvHeads * group, length, reach]);
  if (mask !== null)
    scores = torch.add(scores, torch.view(mask, [count, 1, length, reach], [length * reach, 0, reach, 1]));
  const shares = torch.view(torch.call(aten.softmax, scores, { int: 3 }, { bool: false }), [
    batch,
    group * length,
    reach,
  ]);
  const mixed = torch.empty([batch, rows, headDim], float32);
  torch.bmmInto(mixed, shares, wide(values, false), 1);
  if (length === 1) return torch.view(device.rounded(mixed), [count, row]);
  const byToken = torch.view(
    mixed,
    [count, length, kvHeads, group, headDim],
    [length * row, headDim, group * length * headDim, length * headDim, 1],
  );
  return torch.view(device.rounded(torch.contiguous(byToken)), [count * length, row]);
}

/** Flash attention of new sequences on the CPU: one batch if padding is small. */
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

/** Flash attention on the CPU, sequence by sequence: among new tokens and over cached ones, merged by log-sum-exps. */
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
    const past = plan.past[s]!;
    const [own, ownSums] = causal(device, part, shape);
    if (past === 0) return own;
    const byHead = (name: "keys" | "values"): Handle => {
      const { handle, stride } = heldRows(device, cache, name, plan, past, s, 1);
      return torch.view(handle, [1, kvHeads, past, headDim], [kvHeads * stride, stride, headDim, 1]);
    };
    const query = headsOf(device, part.query, part.length, queryHeads, headDim);
    const [earlier, earlierSums] = flash(device, [query, byHead("keys"), byHead("values")], false, shape);
    // exp(a) / (exp(a) + exp(b)) = sigmoid(a - b); sums [1, heads, length].
    const share = torch.view(torch.contiguous(torch.call(aten.sigmoid, torch.subtract(ownSums, earlierSums))), [
      1,
      queryHeads,
      part.length,
      1,
    ]);
    const far = device.widened(earlier);
    return device.rounded(torch.add(far, torch.multiply(torch.subtract(device.widened(own), far), share)));
  });
}

interface Part extends Omit<NewTokens, "tokens"> {
  readonly length: number;
}

/** Packs results, [1, queryHeads, length, headDim] per sequence. */
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
    const start = layout.offsets[s]!;
    const length = layout.offsets[s + 1]! - start;
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
      const mixed = torch.transpose(attend(part, s), 1, 2);
      torch.copyInto(torch.view(rows(out, queryHeads), [1, length, queryHeads, headDim]), mixed);
    });
  }
  return out;
}

function causal(device: TorchDevice, { query, keys, values, length }: Part, shape: AttentionShape): Handles<2> {
  const rows = (x: Handle, heads: number): Handle => headsOf(device, x, length, heads, shape.headDim);
  const inputs = [rows(query, shape.queryHeads), rows(keys, shape.kvHeads), rows(values, shape.kvHeads)] as const;
  return flash(device, inputs, true, shape);
}

/** Returns out and log-sum-exps of query, keys and values by head. */
function flash({ torch }: TorchDevice, inputs: Handles<3>, isCausal: boolean, shape: AttentionShape): Handles<2> {
  return torch.callMany(aten.flashForwardCpu, ...inputs, { float: 0 }, { bool: isCausal }, null, scaleOf(shape));
}

function headsOf({ torch }: TorchDevice, x: Handle, length: number, heads: number, headDim: number): Handle {
  const row = heads * headDim;
  return torch.view(x, [1, heads, length, headDim], [length * row, headDim, row, 1]);
}

export type TorchCache = KeyValueCache & Readonly<Record<"keys" | "values", TorchTensor>>;
