import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { fusedNames } from "./fused.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const builds = [
  ["release", await readFile(join(root, "assets/fused.wasm"))],
  ["fma", await readFile(join(root, "assets/fused-fma.wasm"))],
] as const;
// Node 20 has relaxed SIMD behind this.
setFlagsFromString("--experimental-wasm-relaxed-simd");

test.each(builds)("%s: the module exports what is called, and nothing else", async (_, committed) => {
  const { exports } = await inspect(committed);
  expect(exports.toSorted()).toEqual([...fusedNames].toSorted());
});

test.each(builds)(
  "%s: the module has no data or globals and takes its working space as an argument",
  (_, committed) => {
    // Types, imports, functions, exports, code; 6 would be globals, 11 static data.
    expect(sections(committed)).toEqual([1, 2, 3, 7, 10]);
  },
);

async function inspect(bytes: Uint8Array): Promise<{ exports: string[] }> {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2 ** 16, shared: true });
  const { exports } = await WebAssembly.instantiate(await WebAssembly.compile(bytes), { env: { memory } });
  return { exports: Object.keys(exports) };
}

/** The ids of a module's sections: a byte each, then the length in seven-bit groups. */
function sections(bytes: Uint8Array): number[] {
  const ids: number[] = [];
  let index = 8;
  while (index < bytes.length) {
    ids.push(bytes[index++] as number);
    let length = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = bytes[index++] as number;
      length |= (byte & 0x7f) << shift;
      more = byte > 0x7f;
    }
    index += length;
  }
  return ids;
}
