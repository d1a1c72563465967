/// <reference path="./webassembly.d.ts" />
/** Module in hexadecimal that runs `f32x4.relaxed_madd` on zeros. */
const smallest = "0061736d010000000105016000017b030201000a13011100" + "4100fd11".repeat(3) + "fd85020b";

/** Checks for `wasmKernels({ fma: true })`: Node 22, Chromium 114. */
export function hasRelaxedSimd(): boolean {
  const bytes = smallest.match(/../gu) ?? [];
  return WebAssembly.validate(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}
