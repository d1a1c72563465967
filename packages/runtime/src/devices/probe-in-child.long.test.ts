import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { wasmKernels } from "@laconic/engine/wasm";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { measureDevice } from "./try-device.ts";
import { measureInChild, probeInChild } from "./choose-device.ts";

const remedy = "take another";

async function moduleOf(body: string): Promise<{ device: string; module: string }> {
  const folder = await temporaryFolder();
  const file = join(folder, "kernels.mjs");
  await writeFile(file, `export async function createKernels() { ${body} }\n`);
  return { device: "bad", module: pathToFileURL(file).href };
}

test("a device that works says so from its own process", async () => {
  expect(await probeInChild(wasmKernels(), remedy)).toEqual({
    works: true,
    detail: expect.stringContaining("wasm simd"),
  });
});

test.each(["SIGSEGV", "SIGABRT", "SIGILL"])("a library that crashes with %s is an outcome", async (signal) => {
  const source = await moduleOf(
    `process.kill(process.pid, "${signal}"); await new Promise(() => setInterval(() => 0, 1000));`,
  );
  expect(await probeInChild(source, remedy)).toEqual({
    works: false,
    detail: `does not work: crashed with ${signal}; take another`,
  });
});

test("programs that exit, refuse or never answer are reported", async () => {
  const [exits, refuses, hangs] = [
    await moduleOf(
      String.raw`console.log('noise'); (await import('node:fs')).writeSync(2, 'loading\nno such symbol: \x1b[31mred\n'); process.exit(3);`,
    ),
    await moduleOf("throw new Error('no such card');"),
    await moduleOf("await new Promise(() => setInterval(() => 0, 1000));"),
  ];
  expect(await probeInChild(exits, remedy)).toEqual({
    works: false,
    detail: "does not work: its process ended with exit code 3 (no such symbol: [31mred); take another",
  });
  expect(await probeInChild(refuses, remedy)).toEqual({ works: false, detail: "no such card" });
  expect(await probeInChild(hangs, remedy, 1500)).toEqual({
    works: false,
    detail: "does not work: did not answer within 1.5 s; take another",
  });
});

test.each([
  ["its own process", measureInChild],
  ["this one", measureDevice],
])("a device is measured in %s", async (_, measure) => {
  const speed = await measure(wasmKernels());
  expect(speed?.gflops).toBeGreaterThan(0.1);
  expect(speed?.decodeMs).toBeGreaterThan(0);
  // Both parts of a step are in it: decoding, and products.
  expect(speed?.stepSeconds).toBeGreaterThan((32 * (speed?.decodeMs ?? 0)) / 1000);
});

test("a program that crashes or refuses is not measured", async () => {
  expect(await measureInChild(await moduleOf(`process.kill(process.pid, "SIGSEGV");`))).toBeNull();
  expect(await measureInChild(await moduleOf(`throw new Error("no adapter");`))).toBeNull();
});
