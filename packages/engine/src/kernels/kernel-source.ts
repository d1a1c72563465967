import type { Kernels } from "./contract.ts";

/** Module of a kernel set for the engine's workers; structured-cloneable. */
export interface KernelSource {
  /** Device name as in `--device`. */
  readonly device: string;
  /** URL of an ES module that exports `createKernels: CreateKernels`. */
  readonly module: string;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
}

/** How kernel sets share the machine. */
export interface KernelPlace {
  /** Number of kernel sets that compute at once on this machine. */
  readonly sharing: number;
}

/** @throws LaconicError `device_unavailable` with what is missing. */
export type CreateKernels = (options: KernelSource["options"], place?: KernelPlace) => Promise<Kernels>;
