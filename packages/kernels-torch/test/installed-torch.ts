import { LaconicError } from "@laconic/core";
import { findTorch, type TorchInstall } from "@laconic/kernels-torch";

/** The PyTorch that tests use, or why there is none. */
export function installedTorch(): { readonly install: TorchInstall } | { readonly missing: string } {
  try {
    return { install: findTorch(process.env) };
  } catch (error) {
    if (LaconicError.is(error)) return { missing: error.message };
    throw error;
  }
}
