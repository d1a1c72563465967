import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "@laconic/engine/kernels";
import { chooseKernels } from "./choose-kernels.ts";
import { mpsRefusal } from "./find/mps-machine.ts";
import { findTorch } from "./find/torch-install.ts";
import { checkCudaDriver } from "./native/cuda-driver.ts";
import { loadLibrary, type TorchDeviceName } from "./native/library.ts";
import { Torch } from "./native/torch.ts";

/**
 * What an engine's worker calls. Options: `device` (`cpu`, `cuda`, `mps`), `dtype` (`float32`, `bfloat16`), `threads` of one
 * operation on the CPU, `tf32` (false by default), `deterministic` on CUDA (false by default; the CPU always is), `index` of the GPU (0 by default), `torch` (folder of the torch package; searched for by default).
 * @throws LaconicError `device_unavailable` with what is missing; `config_invalid` for an unknown option.
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const {
    device = "cpu",
    dtype = "float32",
    threads,
    tf32 = false,
    index = 0,
    deterministic = false,
    torch,
    ...unknown
  } = options;
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined) throw new LaconicError("config_invalid", `kernels-torch has no option ${surplus}`);
  if (device !== "cpu" && device !== "cuda" && device !== "mps")
    throw new LaconicError("config_invalid", `device is ${device}, expected cpu, cuda or mps`);
  if (dtype !== "float32" && dtype !== "bfloat16")
    throw new LaconicError("config_invalid", `dtype is ${dtype}, expected float32 or bfloat16`);
  if (threads !== undefined && !(typeof threads === "number" && Number.isInteger(threads) && threads > 0))
    throw new LaconicError("config_invalid", `threads is ${threads}, expected a whole number from 1`);
  if (typeof tf32 !== "boolean")
    throw new LaconicError("config_invalid", `tf32 is ${JSON.stringify(tf32)}, expected true or false`);
  if (typeof deterministic !== "boolean")
    throw new LaconicError(
      "config_invalid",
      `deterministic is ${JSON.stringify(deterministic)}, expected true or false`,
    );
  if (!(typeof index === "number" && Number.isInteger(index) && index >= 0))
    throw new LaconicError("config_invalid", `index is ${index}, expected a whole number from 0`);
  if (index > 0 && device !== "cuda")
    throw new LaconicError("config_invalid", `index is ${index}, but device ${device} counts no GPUs`);
  const refusal = device === "mps" ? mpsRefusal(dtype) : null;
  if (refusal !== null) throw new LaconicError("device_unavailable", refusal, { device });
  const install = findTorch(torch === undefined ? process.env : { LACONIC_TORCH: String(torch) });
  if (device === "cuda" && !install.cuda)
    throw new LaconicError(
      "device_unavailable",
      `PyTorch ${install.version ?? ""} in ${install.folder} was built without CUDA; install a CUDA build`,
      { folder: install.folder },
    );
  if (device === "cuda") checkCudaDriver(index);
  const library = loadLibrary(install, {
    device,
    index,
    tf32,
    deterministic,
    ...(threads !== undefined && { threads }),
  });
  return chooseKernels(new Torch(library, device), dtype, deterministic);
};

/** Settings of {@link createKernels}. */
export interface TorchOptions {
  /** `mps` is Metal by PyTorch, on Apple silicon; not yet run. */
  readonly device: TorchDeviceName;
  /** float32 by default; bfloat16 on MPS from macOS 14 on. */
  readonly dtype?: "float32" | "bfloat16";
  /** Of one operation on the CPU; all cores by default. */
  readonly threads?: number;
  /** Of the GPU, as CUDA counts them; 0 by default. */
  readonly index?: number;
  /** TF32 products of float32 matrices on CUDA: 10 bits of fraction instead of 23, and faster. False by default. */
  readonly tf32?: boolean;
  /**
   * On CUDA: no atomic sums, so that the same calls give the same bits on the same card and library; the gradients of attention are
   * then plain products, which take more time and memory. The CPU always is. False by default.
   */
  readonly deterministic?: boolean;
  /** Folder of the torch package; searched for by default. */
  readonly torch?: string;
}

/** Where an engine finds these kernels. */
export function torchKernels(options: TorchOptions): KernelSource {
  return { device: options.device, module: import.meta.url, options: { ...options } };
}
