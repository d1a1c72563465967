import { flashPageSize } from "./kernels/flash-cache.ts";
import { tileLimit } from "./kernels/head-tiles.ts";

/** What a plan of memory needs to know of these kernels. */
export interface TorchMemory {
  /** Most bytes that a tile of the head holds. */
  readonly headBytes: number;
  /** Positions of a page of the key-value cache, where it has pages. */
  readonly cachePageSize?: number;
}

/** By device. */
export const torchMemory: Readonly<Record<"cpu" | "cuda", TorchMemory>> = {
  cpu: { headBytes: tileLimit.cpu },
  cuda: { headBytes: tileLimit.cuda, cachePageSize: flashPageSize },
};
