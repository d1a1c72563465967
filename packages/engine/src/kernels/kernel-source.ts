import type { Kernels } from "./contract.ts";

/** Where the engine's worker finds a kernel set: a module whose export `createKernels` makes it. Structured-cloneable. */
export interface KernelSource {
  /** Device name as in `--device`. */
  readonly device: string;
  /** URL of an ES module exporting `createKernels: CreateKernels`. */
  readonly module: string;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
}

/** What a kernel set shares with others. */
export interface KernelPlace {
  /** Kernel sets that compute at once on this machine, this one among them: the engine's workers. */
  readonly sharing: number;
}

/** @throws LaconicError `device_unavailable` with what is missing. */
export type CreateKernels = (options: KernelSource["options"], place?: KernelPlace) => Promise<Kernels>;
