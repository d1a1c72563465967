import { LaconicError } from "@laconic/core";
import { findTorch, type TorchInstall } from "@laconic/kernels-torch";

/** PyTorch for tests, or why it is missing. */
export function installedTorch(): { readonly install: TorchInstall } | { readonly missing: string } {
  try {
    return { install: findTorch(process.env) };
  } catch (error) {
    if (LaconicError.is(error)) return { missing: error.message };
    throw error;
  }
}
