import { afterAll, expect, test } from "vitest";
import type { Kernels } from "../kernels/index.ts";
import { createKernels, threadCount } from "./wasm-kernels.ts";
import { WasmMemory } from "./wasm-memory.ts";

const events = ["uncaughtException", "unhandledRejection"] as const;
const made: Kernels[] = [];
afterAll(() => made.forEach((kernels) => kernels.dispose()));

test("starting leaves the process's error handlers unchanged and prints nothing", async () => {
  const own = (): void => {};
  process.on("unhandledRejection", own);
  const before = events.map((event) => process.listeners(event as "uncaughtException"));
  made.push(await createKernels({}));
  expect(events.map((event) => process.listeners(event as "uncaughtException"))).toEqual(before);
  expect(process.listeners("unhandledRejection")).toContain(own);
  process.removeListener("unhandledRejection", own);
});

test("kernel sets in one thread have a memory each", async () => {
  const [a, b] = [await createKernels({}), await createKernels(undefined)];
  made.push(a, b);
  const tensor = a.upload(Float32Array.of(1, 2), [2]);
  expect([a.liveTensors(), b.liveTensors()]).toEqual([1, 0]);
  expect(() => b.copy(tensor)).toThrow("used after it was freed or belongs to another kernel set");
  a.dispose();
  expect(() => a.copy(tensor)).toThrow("used after it was freed");
});

test("an option is refused by name, and one of the wrong kind", async () => {
  await expect(createKernels({ cores: 4 })).rejects.toFailWith("config_invalid", { key: "cores" });
  for (const threads of [0, 1.5, 65, "two"])
    await expect(createKernels({ threads })).rejects.toFailWith("config_invalid", { key: "threads" });
  await expect(createKernels({ fma: "yes" })).rejects.toFailWith("config_invalid", { key: "fma" });
});

test("a set takes its share of the processors, at most eight, or its setting with shared threads", () => {
  const share = (processors: number, sharing?: number): number =>
    threadCount(undefined, processors, sharing === undefined ? undefined : { sharing });
  expect([share(8, 2), share(3, 2), share(2, 4), share(64, 1), share(0, 1), share(8)]).toEqual([4, 1, 1, 8, 1, 1]);
  expect([threadCount(3, 2), threadCount(3, 0)]).toEqual([3, 1]);
});

test("a binary that the engine cannot compile says what it needs", async () => {
  const damaged = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 99]);
  await expect(WasmMemory.open(damaged, { fma: true })).rejects.toFailWith(
    "device_unavailable",
    "they need relaxed SIMD, as in Node 22",
  );
  await expect(WasmMemory.open(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))).rejects.toThrow("fused.wasm lacks add,");
});
