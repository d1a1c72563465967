import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "@laconic/engine/kernels";
import { findTorch } from "./find/torch-install.ts";
import { loadLibrary } from "./native/library.ts";
import { Torch } from "./native/torch.ts";
import { torchKernelSet } from "./torch-kernels.ts";

/**
 * What an engine's worker calls. Options: `device` (`cpu`, `cuda`), `dtype` (`float32`, `bfloat16`), `threads` of one
 * operation on the CPU, `tf32` (true unless told), `torch` (folder of the torch package; searched for unless told).
 * @throws LaconicError `device_unavailable` with what is missing; `config_invalid` for an unknown option.
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const { device = "cpu", dtype = "float32", threads, tf32 = true, torch, ...unknown } = options;
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined) throw new LaconicError("config_invalid", `kernels-torch has no option ${surplus}`);
  if (device !== "cpu" && device !== "cuda")
    throw new LaconicError("config_invalid", `device is ${device}, expected cpu or cuda`);
  if (dtype !== "float32" && dtype !== "bfloat16")
    throw new LaconicError("config_invalid", `dtype is ${dtype}, expected float32 or bfloat16`);
  if (threads !== undefined && !(typeof threads === "number" && Number.isInteger(threads) && threads > 0))
    throw new LaconicError("config_invalid", `threads is ${threads}, expected a whole number from 1`);
  const install = findTorch(torch === undefined ? process.env : { LACONIC_TORCH: String(torch) });
  if (device === "cuda" && !install.cuda)
    throw new LaconicError(
      "device_unavailable",
      `PyTorch ${install.version ?? ""} in ${install.folder} was built without CUDA; install a CUDA build`,
      { folder: install.folder },
    );
  const library = loadLibrary(install, { device, tf32: tf32 === true, ...(threads !== undefined && { threads }) });
  return torchKernelSet(new Torch(library, device), dtype);
};

/** Settings of {@link createKernels}. */
export interface TorchOptions {
  readonly device: "cpu" | "cuda";
  /** float32 unless told. */
  readonly dtype?: "float32" | "bfloat16";
  /** Of one operation on the CPU; all cores unless told. */
  readonly threads?: number;
  /** TF32 products of float32 matrices on CUDA; true unless told. */
  readonly tf32?: boolean;
  /** Folder of the torch package; searched for unless told. */
  readonly torch?: string;
}

/** Where an engine finds these kernels. */
export function torchKernels(options: TorchOptions): KernelSource {
  return { device: options.device, module: import.meta.url, options: { ...options } };
}
