import { flashPageSize } from "./kernels/flash-cache.ts";
import { tileLimit } from "./kernels/head-tiles.ts";
import type { TorchDeviceName } from "./native/library.ts";
import { minPacked, maxPacked } from "./packed-weights.ts";

/** What a plan of memory needs to know of these kernels. */
export interface TorchMemory {
  /** Most bytes that a tile of the head holds. */
  readonly headBytes: number;
  /** Positions of a page of the key-value cache, where it has pages. */
  readonly cachePageSize?: number;
  /** Fewest and most numbers of a float32 matrix that is kept twice while replies are sampled. */
  readonly packedWeights?: readonly [least: number, most: number];
}

/** By device. */
export const torchMemory: Readonly<Record<TorchDeviceName, TorchMemory>> = {
  cpu: { headBytes: tileLimit.cpu, packedWeights: [minPacked, maxPacked] },
  cuda: { headBytes: tileLimit.cuda, cachePageSize: flashPageSize },
  mps: { headBytes: tileLimit.mps },
};
