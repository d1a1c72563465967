import { LaconicError } from "@laconic/core";
import { findTorch, type TorchInstall } from "@laconic/kernels-torch";
import { loadLibrary } from "../src/native/library.ts";
import { Torch } from "../src/native/torch.ts";

export function installedTorch(): { readonly install: TorchInstall } | { readonly missing: string } {
  try {
    return { install: findTorch(process.env) };
  } catch (error) {
    if (LaconicError.is(error)) return { missing: error.message };
    throw error;
  }
}

/** The installed library on the CPU. @throws LaconicError `device_unavailable` without one */
export function cpuTorch(): Torch {
  return new Torch(loadLibrary(findTorch(process.env), { device: "cpu", tf32: false }), "cpu");
}
