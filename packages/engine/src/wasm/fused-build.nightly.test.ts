import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const compiler = resolveCompiler();

test.skipIf(compiler === null).each([
  ["release", "fused.wasm"],
  ["fma", "fused-fma.wasm"],
])(
  "%s: building assembly/ again gives the committed bytes (skipped when assemblyscript is not installed)",
  async (target, file) => {
    const out = join(await temporaryFolder(), "fused.wasm");
    const args = [compiler as string, "--target", target, "--outFile", out];
    await promisify(execFile)(process.execPath, args, { cwd: root });
    expect((await readFile(out)).equals(await readFile(join(root, "assets", file)))).toBe(true);
  },
);

function resolveCompiler(): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve("assemblyscript/package.json");
    return join(dirname(manifest), "bin/asc.js");
  } catch {
    return null;
  }
}
