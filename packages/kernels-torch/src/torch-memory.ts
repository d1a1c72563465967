import { flashPageSize } from "./kernels/flash-cache.ts";
import { tileLimit } from "./kernels/head-tiles.ts";
import type { TorchDeviceName } from "./native/library.ts";
import { minPacked, maxPacked } from "./packed-weights.ts";

/** Kernel properties for memory planning. */
export interface TorchMemory {
  /** Max bytes of a head tile. */
  readonly headBytes: number;
  /** Positions per key-value cache page. */
  readonly cachePageSize?: number;
  /** Bounds on elements of float32 matrices that are stored twice during sampling. */
  readonly packedWeights?: readonly [least: number, most: number];
}

/** By device. */
export const torchMemory: Readonly<Record<TorchDeviceName, TorchMemory>> = {
  cpu: { headBytes: tileLimit.cpu, packedWeights: [minPacked, maxPacked] },
  cuda: { headBytes: tileLimit.cuda, cachePageSize: flashPageSize },
  mps: { headBytes: tileLimit.mps },
};
