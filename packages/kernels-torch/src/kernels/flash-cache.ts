import {
  KeyValueCaches,
  newPages,
  type CachePlan,
  type KernelFamily,
  type KeyValueCache,
} from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Argument, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { TorchTensor } from "../tensors.ts";
import type { TorchCache } from "./cached-attention.ts";
import { scaleOf } from "./dense-attention.ts";

/** `slots` finds sequences by start (from 2.10), `pages` by a block table (from 2.13). */
export type FlashCacheKind = "slots" | "pages";

export const flashPageSize = 256;

/**
 * Caches for flash attention on CUDA (Dao 2023, PyTorch's kernel): one call for prefill and decode. Keys are copied
 * only if the kernel cannot read pages.
 * @param plain - for unsupported heads
 */
export function flashCacheKernels(
  device: TorchDevice,
  kind: FlashCacheKind,
  plain: KernelFamily<"cache">,
): KernelFamily<"cache"> {
  const { store, torch } = device;
  const caches = new KeyValueCaches<TorchCache>();
  const own = new WeakSet<KeyValueCache>();
  const { major, minor } = torch.library.version;
  const pagesKnown = major > 2 || minor >= 13;
  return {
    createCache(size) {
      const { pages, pageSize, kvHeads, headDim } = size;
      if (headDim % 8 !== 0 || headDim > 256) return plain.createCache(size);
      const shape = [pages, pageSize, kvHeads, headDim];
      const held = (): TorchTensor => device.make(shape, () => torch.full(shape, device.working, 0));
      const { keys, values } = store.scope(() => ({ keys: held(), values: held() }));
      store.keep(keys);
      store.keep(values);
      const cache = caches.adopt({ pages, pageSize, kvHeads, headDim, keys, values });
      own.add(cache);
      return cache;
    },
    freeCache(cache) {
      if (!own.has(cache)) return plain.freeCache(cache);
      const { keys, values } = caches.release(cache);
      store.free(keys);
      store.free(values);
    },
    attentionCached(q, k, v, handle, shape, plan) {
      if (!own.has(handle)) return plain.attentionCached(q, k, v, handle, shape, plan);
      const { cache, tokens } = caches.attended(q, k, v, handle, shape, plan);
      const { queryHeads, kvHeads, headDim } = shape;
      const [query, newKeys, newValues] = [device.rows(q), device.rows(k), device.rows(v)];
      const place = (): readonly Argument[] => {
        const places = placesOfNew(device, plan, cache, kvHeads * headDim);
        const lines = [cache.pages * cache.pageSize, kvHeads * headDim] as const;
        torch.scatterInto(viewed(device, cache.keys, "lines", lines), places, newKeys.handle);
        torch.scatterInto(viewed(device, cache.values, "lines", lines), places, newValues.handle);
        const { keys, values, starts, table, reach } = keysOf(device, kind, plan, cache);
        return [
          torch.view(query.handle, heads, [query.stride, headDim, 1]),
          keys,
          values,
          { some: device.handle(plan.layout.offsetsOnDevice) },
          { some: starts },
          { int: plan.layout.longest },
          { int: reach },
          { float: 0 },
          { bool: true },
          { bool: false },
          ...([scaleOf(shape), null, null, { some: lengthsOf(device, plan) }, null] as readonly Argument[]),
          table === null ? null : { some: table },
          // More splits leave rows of paged keys unwritten.
          ...(pagesKnown ? [{ some: { int: 1 } }] : [null]),
        ];
      };
      const heads = [tokens, queryHeads, headDim] as const;
      if (tokens > 0 && !torch.library.shims.has(aten.flashForwardInto.name))
        return device.make(q.shape, () => {
          const [mixed] = torch.callMany(aten.flashForward, ...place());
          return torch.view(torch.contiguous(mixed), q.shape);
        });
      return store.refill(q.shape, device.working, (mixed) => {
        if (tokens === 0) return;
        const byHead = store.view(mixed, "heads", () => torch.view(mixed.handle, heads));
        torch.call(aten.flashForwardInto, byHead, ...place());
      });
    },
    copyCachePages(cache, from, to, lengths, source = cache) {
      if (!own.has(cache)) return plain.copyCachePages(cache, from, to, lengths, source);
      const { target, origin } = caches.copied(cache, from, to, lengths, source);
      const width = target.kvHeads * target.headDim;
      for (const { first, count, length } of stretches(from, to, lengths, origin !== target))
        torch.run(() => {
          const part = (held: TorchTensor, { pageSize }: KeyValueCache, page: number): Handle =>
            torch.view(held.handle, [count, length, width], [pageSize * width, width, 1], page * pageSize * width);
          const [into, out] = [to[first]!, from[first]!];
          torch.copyInto(part(target.keys, target, into), part(origin.keys, origin, out));
          torch.copyInto(part(target.values, target, into), part(origin.values, origin, out));
        });
    },
  };
}

type Stretch = Record<"first" | "count" | "length", number>;

/** @param apart - whether the caches differ */
function stretches(
  from: Int32Array,
  to: Int32Array,
  lengths: Int32Array,
  apart: boolean,
): readonly Readonly<Stretch>[] {
  const matches: Stretch[] = [];
  from.forEach((page, i) => {
    const length = lengths[i]!;
    if (length === 0 || (page === to[i] && !apart)) return;
    const last = matches.at(-1);
    const follows =
      apart &&
      last?.length === length &&
      last.first + last.count === i &&
      page === from[i - 1]! + 1 &&
      to[i] === to[i - 1]! + 1;
    if (follows) last.count += 1;
    else matches.push({ first: i, count: 1, length });
  });
  return matches;
}

function viewed({ store, torch }: TorchDevice, held: TorchTensor, name: string, shape: readonly number[]): Handle {
  return store.derive(held, name, () => torch.view(held.handle, shape));
}

interface FoundKeys {
  readonly keys: Handle;
  readonly values: Handle;
  /** int32 [S + 1]. */
  readonly starts: Handle;
  /** int32 [S, width]; null for contiguous sequences. */
  readonly table: Handle | null;
  readonly reach: number;
}

function keysOf(device: TorchDevice, kind: FlashCacheKind, plan: CachePlan, cache: TorchCache): FoundKeys {
  const { store, torch } = device;
  const { pages, pageSize, kvHeads, headDim } = cache;
  const sequences = plan.past.length;
  const width = plan.table.length / sequences;
  const table = store.get(plan.tableOnDevice);
  if (kind === "pages" && pageSize % flashPageSize === 0) {
    const starts = store.derive(table, "no starts", () => torch.full([sequences + 1], scalarType.int32, 0));
    const view = (held: TorchTensor): Handle => viewed(device, held, "pages", [pages, pageSize, kvHeads, headDim]);
    return {
      keys: view(cache.keys),
      values: view(cache.values),
      starts,
      table: table.handle,
      reach: width * pageSize,
    };
  }
  if (width === 1) {
    const starts = store.derive(table, `starts ${pageSize}`, () => {
      const all = torch.full([sequences + 1], scalarType.int32, pages * pageSize);
      const first = torch.multiplyByNumber(torch.cast(table.handle, scalarType.float64), pageSize);
      torch.copyInto(torch.view(all, [sequences]), torch.view(first, [sequences]));
      return all;
    });
    const view = (held: TorchTensor): Handle => viewed(device, held, "slots", [pages * pageSize, kvHeads, headDim]);
    return { keys: view(cache.keys), values: view(cache.values), starts, table: null, reach: pageSize };
  }
  const chosen = torch.view(device.indices(table), [sequences * width]);
  const copy = ({ handle }: TorchTensor): Handle =>
    torch.view(torch.selectRows(handle, chosen), [sequences * width * pageSize, kvHeads, headDim]);
  const starts = store.derive(table, `whole starts ${pageSize}`, () =>
    torch.upload(
      Int32Array.from({ length: sequences + 1 }, (_, s) => s * width * pageSize),
      [sequences + 1],
    ),
  );
  return { keys: copy(cache.keys), values: copy(cache.values), starts, table: null, reach: width * pageSize };
}

function isStep({ layout, past }: CachePlan): boolean {
  return layout.longest === 1 && layout.offsets.at(-1) === past.length;
}

/** Positions per sequence with new ones: int32 [S]. */
function lengthsOf(device: TorchDevice, plan: CachePlan): Handle {
  const { store, torch } = device;
  const past = store.get(plan.pastOnDevice);
  return store.derive(past, "lengths", () => {
    const { offsets } = plan.layout;
    if (!isStep(plan))
      return torch.upload(
        plan.past.map((held, s) => held + offsets[s + 1]! - offsets[s]!),
        [plan.past.length],
      );
    const one = torch.full([1], scalarType.float64, 1);
    return torch.cast(torch.add(torch.cast(past.handle, scalarType.float64), one), scalarType.int32);
  });
}

/** Position of each new token, repeated across its row: int64 [N, width]. */
function placesOfNew(device: TorchDevice, plan: CachePlan, cache: KeyValueCache, width: number): Handle {
  const { store, torch } = device;
  return store.derive(store.get(plan.pastOnDevice), `columns of new places ${cache.pageSize} ${width}`, () =>
    torch.view(linesOfNew(device, plan, cache), [plan.layout.offsets.at(-1)!, width], [1, 0]),
  );
}

/** Position of each new token in [pages, pageSize], int64 [N]. */
function linesOfNew(device: TorchDevice, plan: CachePlan, { pageSize }: KeyValueCache): Handle {
  const { store, torch } = device;
  const past = store.get(plan.pastOnDevice);
  return store.derive(past, `new places ${pageSize}`, () => {
    const sequences = plan.past.length;
    const width = plan.table.length / sequences;
    const bits = Math.log2(pageSize);
    if (!isStep(plan) || (width > 1 && !Number.isInteger(bits))) {
      const { pages, positions } = newPages(plan, { pageSize });
      const places = Float64Array.from(pages, (page, i) => page * pageSize + positions[i]!);
      return torch.uploadIndices(places, [places.length]);
    }
    const { float64, int64 } = scalarType;
    const wide = (x: Handle): Handle => torch.view(torch.cast(x, float64), [sequences]);
    const held = wide(past.handle);
    if (width === 1) {
      const start = torch.multiplyByNumber(wide(device.handle(plan.tableOnDevice)), pageSize);
      return torch.cast(torch.add(start, held), int64);
    }
    // Quotient and rest of past / pageSize, a power of two.
    const number = torch.full([1], int64, bits);
    const index = torch.call(aten.shiftRight, device.indices(plan.pastOnDevice), number);
    const page = torch.gather(device.indices(plan.tableOnDevice), torch.view(index, [sequences, 1]));
    const before = torch.multiplyByNumber(torch.subtract(wide(page), wide(index)), pageSize);
    return torch.cast(torch.add(before, held), int64);
  });
}
