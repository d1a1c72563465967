import { matrixSize, type AttentionShape, type KernelFamily, type Tensor } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Argument, type Handle, type Torch } from "../native/torch.ts";
import { TorchTensor, type TensorStore } from "../tensors.ts";
import type { TorchDevice } from "../torch-device.ts";
import { attentionKernels } from "./attention.ts";
import { scaleOf, type DenseAttention, type DenseSize, type Rows } from "./dense-attention.ts";

/** Optional arguments that newer versions append. */
const none = [null, null, null, null, null, null] as const;

/**
 * Flash attention on packed sequences (Dao 2023, PyTorch's kernel): bfloat16, head sizes up to 256 in steps of 8.
 * @param plain - for unsupported heads
 */
export function cudaAttentionKernels(device: TorchDevice, plain: KernelFamily<"attention">): KernelFamily<"attention"> {
  const { torch, store } = device;
  const viewsOf = (rows: number, { queryHeads, kvHeads, headDim: width }: AttentionShape) => {
    const heads = (x: Tensor, count: number): Handle => {
      const { handle, stride } = device.rows(x);
      return torch.view(handle, [rows, count, width], [stride, width, 1]);
    };
    return { query: (x: Tensor): Handle => heads(x, queryHeads), key: (x: Tensor): Handle => heads(x, kvHeads) };
  };
  const fits = ({ headDim }: AttentionShape): boolean => headDim % 8 === 0 && headDim <= 256;
  const overTrees = attentionKernels(device, cudaDenseAttention(device));
  return {
    attention(q, k, v, shape, layout) {
      if (!fits(shape) || q.shape[0] === 0) return plain.attention(q, k, v, shape, layout);
      if (layout.tree) return overTrees.attention(q, k, v, shape, layout);
      const [rows] = matrixSize(q);
      const { queryHeads } = shape;
      const { query, key } = viewsOf(rows, shape);
      const offsets = device.handle(layout.offsetsOnDevice);
      const [out, logSumExp, raw, state, unused] = torch.run<readonly Handle[]>(() => {
        const [mixed, sums, random, other] = torch.callMany(
          aten.flashForward,
          query(q),
          key(k),
          key(v),
          { some: offsets },
          { some: offsets },
          ...settingsOf(layout.longest, layout.longest, true),
          { bool: false },
          ...([scaleOf(shape), ...none] as readonly Argument[]),
        );
        return [
          torch.view(torch.contiguous(mixed), q.shape),
          byRow(torch, sums, queryHeads, rows),
          sums,
          random,
          other,
        ];
      }) as [Handle, Handle, Handle, Handle, Handle];
      const retained = adoptSums(store, logSumExp, [rows, queryHeads]);
      for (const [name, handle] of Object.entries({ raw, state, unused }))
        store.attach(retained, `flash ${name}`, handle);
      return { out: store.adoptFloats(out, q.shape), logSumExp: retained };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      if (!fits(shape) || q.shape[0] === 0)
        return plain.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
      if (layout.tree) return overTrees.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
      const [rows] = matrixSize(q);
      const { query, key } = viewsOf(rows, shape);
      const saved = store.get(logSumExp);
      const offsets = device.handle(layout.offsetsOnDevice);
      const gradients = torch.run(() =>
        torch
          .callMany(
            aten.flashBackward,
            query(dOut),
            query(q),
            key(k),
            key(v),
            query(out),
            store.attached(saved, "flash raw"),
            offsets,
            offsets,
            ...settingsOf(layout.longest, layout.longest, true),
            store.attached(saved, "flash state"),
            store.attached(saved, "flash unused"),
            ...([scaleOf(shape), null, null] as readonly Argument[]),
          )
          .map((gradient, i) =>
            torch.view(torch.contiguous(gradient), ([q, k, v] as const)[i]?.shape as readonly number[]),
          ),
      ) as [Handle, Handle, Handle];
      return {
        dQ: store.adoptFloats(gradients[0], q.shape),
        dK: store.adoptFloats(gradients[1], k.shape),
        dV: store.adoptFloats(gradients[2], v.shape),
      };
    },
  };
}

/** Longest sequence of queries and of keys, no dropout, and whether rows attend only to earlier ones. */
function settingsOf(queries: number, keys: number, causal: boolean): readonly Argument[] {
  return [{ int: queries }, { int: keys }, { float: 0 }, { bool: causal }];
}

/** [heads, N] as [N, heads]; a view, because only tests read it. */
function byRow(torch: Torch, sums: Handle, heads: number, rows: number): Handle {
  return torch.view(sums, [rows, heads], [1, rows]);
}

/** Adopts a result of {@link byRow}. */
function adoptSums(store: TensorStore, sums: Handle, shape: readonly [number, number]): TorchTensor {
  const tensor = new TorchTensor(sums, shape, "float", "full", [0, 0]);
  [tensor.rowStride] = shape;
  return store.adopt(tensor);
}

function cudaDenseAttention(device: TorchDevice): DenseAttention {
  const { torch } = device;
  const offsets = (sequences: number, length: number): Handle =>
    torch.upload(
      Int32Array.from({ length: sequences + 1 }, (_, s) => s * length),
      [sequences + 1],
    );
  const packed = (x: Rows, sequences: number, length: number, count: number, width: number): Handle => {
    const { handle, stride, offset = 0, sequenceStride = length * stride } = x;
    if (sequenceStride === length * stride)
      return torch.view(handle, [sequences * length, count, width], [stride, width, 1], offset);
    const shape = [sequences, length, count, width];
    const rows = torch.view(handle, shape, [sequenceStride, stride, width, 1], offset);
    return torch.view(torch.contiguous(rows), [sequences * length, count, width]);
  };
  const viewsOf = ({ sequences, queries, keys, causal }: DenseSize, shape: AttentionShape) => {
    const { queryHeads, kvHeads, headDim } = shape;
    const matrix = (x: Handle, rows: number, width: number): Handle => torch.view(torch.contiguous(x), [rows, width]);
    return {
      query: (x: Rows, width = headDim): Handle => packed(x, sequences, queries, queryHeads, width),
      key: (x: Rows): Handle => packed(x, sequences, keys, kvHeads, headDim),
      bounds: (): Handle[] => [offsets(sequences, queries), offsets(sequences, keys)],
      settings: settingsOf(queries, keys, causal),
      queryRows: (x: Handle, width = headDim): Handle => matrix(x, sequences * queries, queryHeads * width),
      keyRows: (x: Handle): Handle => matrix(x, sequences * keys, kvHeads * headDim),
    };
  };
  return {
    forward(q, k, v, size, shape) {
      const { query, key, bounds, settings, queryRows } = viewsOf(size, shape);
      const inputs = [query(q), key(k), key(v)];
      const [mixed, sums] = torch.callMany(
        aten.flashForward,
        ...inputs,
        ...bounds().map((some) => ({ some })),
        ...settings,
        { bool: false },
        ...([scaleOf(shape), ...none] as readonly Argument[]),
      );
      // The kernel returns [heads, rows].
      const turned = torch.transpose(sums, 0, 1);
      return [queryRows(mixed), queryRows(turned, 1)];
    },
    backward(dOut, { q, k, v, out, logSumExp }, size, shape) {
      const { query, key, bounds, settings, queryRows, keyRows } = viewsOf(size, shape);
      const sums = torch.view(query(logSumExp, 1), [size.sequences * size.queries, shape.queryHeads]);
      const inputs = [query(dOut), query(q), key(k), key(v), query(out)];
      const [dQ, dK, dV] = torch.callMany(
        aten.flashBackward,
        ...inputs,
        torch.contiguous(torch.transpose(sums, 0, 1)),
        ...bounds(),
        ...settings,
        // Unused without dropout.
        device.number(0, [2], scalarType.int64),
        device.number(0, [], scalarType.int64),
        ...([scaleOf(shape), null, null] as readonly Argument[]),
      );
      return [queryRows(dQ), keyRows(dK), keyRows(dV)];
    },
  };
}
