import { expect, test } from "vitest";
import { mpsRefusal } from "../create-kernels.ts";

const mac = { platform: "darwin", arch: "arm64", release: "23.0.0" };

test.each([
  ["float32", mac],
  ["bfloat16", mac],
  ["bfloat16", { ...mac, release: "25.1.0" }],
  ["float32", { ...mac, release: "22.6.0" }],
] as const)("MPS computes in %s on %o", (dtype, machine) => {
  expect(mpsRefusal(dtype, machine)).toBeNull();
});

test.each([
  ["bfloat16", { ...mac, release: "22.6.0" }, "needs macOS 14 or newer"],
  ["bfloat16", { ...mac, release: "9.8.0" }, "got Darwin 9.8.0; use float32"],
  ["bfloat16", { ...mac, release: "" }, "needs macOS 14 or newer"],
  ["float32", { ...mac, arch: "x64" }, "got darwin on x64"],
  ["float32", { ...mac, platform: "linux" }, "got linux on arm64"],
] as const)("MPS does not compute in %s on %o", (dtype, machine, refusal) => {
  expect(mpsRefusal(dtype, machine)).toContain(refusal);
});
