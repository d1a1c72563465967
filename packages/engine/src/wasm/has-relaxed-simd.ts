/// <reference path="./webassembly.d.ts" />
/** A module whose only function, () -> v128, multiplies and adds vectors of zeros by `f32x4.relaxed_madd`; in hexadecimal. */
const smallest = "0061736d010000000105016000017b030201000a13011100" + "4100fd11".repeat(3) + "fd85020b";

/** Whether this engine has relaxed SIMD, which `wasmKernels({ fma: true })` needs: Node 22, Chromium 114. */
export function hasRelaxedSimd(): boolean {
  const bytes = smallest.match(/../gu) ?? [];
  return WebAssembly.validate(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}
