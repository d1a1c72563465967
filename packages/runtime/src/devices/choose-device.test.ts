import { expect, test } from "vitest";
import { chooseDevice, fasterOf, expectGpus, expectIndices } from "./choose-device.ts";

const choose = (name: string, workers: number | "auto" = "auto"): ReturnType<typeof chooseDevice> =>
  chooseDevice(name, workers, () => undefined);

test("GPUs that are named have a worker each, in the order of the name", async () => {
  const chosen = await choose("cuda:2,0");
  expect(chosen).toMatchObject({ name: "cuda:2,0", workers: 2, dtype: "bfloat16" });
  expect([chosen.sources].flat().map(({ options }) => options?.["index"] ?? 0)).toEqual([2, 0]);
  expect(chosen.source).toEqual([chosen.sources].flat()[0]);
  expect(await choose("cuda:1", 1)).toMatchObject({ workers: 1, source: { options: { index: 1 } } });
  expect(await choose("cuda", 2)).toMatchObject({ name: "cuda", workers: 2, sources: { device: "cuda" } });
});

test.each([
  ["cuda:0,1", 3, "config_invalid", "workers is 3, but device cuda:0,1 names 2 GPUs"],
  ["wasm:0", "auto", "device_unavailable", "wasm takes no GPU numbers; only cuda does"],
  ["cuda:", "auto", "device_unavailable", "GPU numbers after the colon, such as cuda:0 or cuda:0,1"],
  ["cuda:x", "auto", "device_unavailable", "such as cuda:0 or cuda:0,1"],
  ["cuda:-1", "auto", "device_unavailable", "GPU numbers"],
  ["cuda:01,1", "auto", "device_unavailable", "GPU 1 is listed twice"],
  ["tpu:0", "auto", "device_unavailable", "device tpu: unknown; use auto or cuda,"],
] as const)("%s with %s workers is refused", async (name, workers, code, message) => {
  await expect(choose(name, workers)).rejects.toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
  );
});

test("a missing GPU is named along with the present ones", () => {
  const gpu = (index: number, name: string) => ({ index, name, memory: 2 ** 36, computeCapability: "9.0" });
  const gpus = [gpu(0, "NVIDIA H100"), gpu(1, "NVIDIA L40S")];
  expect(expectIndices("cuda:1,0", [1, 0], { gpus })).toBeUndefined();
  expect(() => expectIndices("cuda:0,2", [0, 2], { gpus })).toThrow(
    "device cuda:0,2: GPU 2 not found; available: 0 (NVIDIA H100), 1 (NVIDIA L40S)",
  );
  expect(() => expectIndices("cuda:0", [0], { missing: "there is no NVIDIA driver here" })).toThrow(
    "device cuda:0: GPU 0 not found; there is no NVIDIA driver here",
  );
});

test("a device that is not a GPU starts without being tried", async () => {
  expect(await expectGpus(await choose("wasm"))).toBeUndefined();
});

test("the faster of GPU and processor is taken, and both are listed", () => {
  const speed = (stepSeconds: number) => ({ gflops: 400, decodeMs: 2.5, stepSeconds });
  const gpu = fasterOf(["wasm-fma", speed(1.5)], ["webgpu", speed(0.25)]);
  expect(gpu).toEqual({
    name: "webgpu",
    why:
      "webgpu takes 0.25 s for a step of a test model (decode step 2.5 ms, products 400 GFLOP/s), " +
      "wasm-fma takes 1.5 s for a step of a test model (decode step 2.5 ms, products 400 GFLOP/s)",
  });
  expect(fasterOf(["wasm", speed(0.2)], ["webgpu", speed(0.25)]).name).toBe("wasm");
  expect(fasterOf(["wasm", speed(0.25)], ["webgpu", speed(0.25)]).name).toBe("wasm");
});

test("an unmeasurable device loses", () => {
  const speed = { gflops: 1, decodeMs: 1, stepSeconds: 9 };
  expect(fasterOf(["wasm", speed], ["webgpu", null])).toMatchObject({
    name: "wasm",
    why: expect.stringContaining("webgpu could not be measured") as string,
  });
  expect(fasterOf(["wasm", null], ["webgpu", speed]).name).toBe("webgpu");
  expect(fasterOf(["wasm", null], ["webgpu", null]).name).toBe("wasm");
});
