import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LaconicError } from "@laconic/core";
import { findTorch, type TorchInstall } from "@laconic/kernels-torch";

const venv = fileURLToPath(new URL("../../../.venv/bin/python", import.meta.url));

/** Python of the comparisons. */
export const python: string = process.env["LACONIC_PYTHON"] ?? venv;

/** The PyTorch that tests use, or why there is none. */
export function installedTorch(): { readonly install: TorchInstall } | { readonly missing: string } {
  try {
    return { install: findTorch({ ...process.env, ...(existsSync(python) && { LACONIC_PYTHON: python }) }) };
  } catch (error) {
    if (LaconicError.is(error)) return { missing: error.message };
    throw error;
  }
}
