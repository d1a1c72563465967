/// <reference path="./webassembly.d.ts" />
/** A module whose only function multiplies and adds vectors of zeros by `f32x4.relaxed_madd`. */
const smallest = Uint8Array.of(
  0,
  0x61,
  0x73,
  0x6d,
  1,
  0,
  0,
  0,
  1,
  5,
  1,
  0x60,
  0,
  1,
  0x7b, // () -> v128
  3,
  2,
  1,
  0,
  10,
  19,
  1,
  17,
  0,
  ...[0, 1, 2].flatMap(() => [0x41, 0, 0xfd, 0x11]), // i32x4.splat of 0
  0xfd,
  0x85,
  2,
  0x0b,
);

/** Whether this engine has relaxed SIMD, which `wasmKernels({ fma: true })` needs: Node 22, Chromium 114. */
export function hasRelaxedSimd(): boolean {
  return WebAssembly.validate(smallest);
}
