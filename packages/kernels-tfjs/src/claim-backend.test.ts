import { expect, test } from "vitest";
import { claimBackend, claiming } from "./tensorflow/create-kernels.ts";

test("a thread's backend is one, until every set on it is gone", () => {
  const [first, second] = [claimBackend("wasm"), claimBackend("wasm")];
  expect(() => claimBackend("webgpu")).toThrow(/computes on wasm/);
  first();
  first(); // twice gives nothing more up
  expect(() => claimBackend("webgpu")).toFailWith("device_unavailable");
  second();
  claimBackend("webgpu")();
});

test("a backend that does not open is given up", async () => {
  await expect(claiming("webgpu", () => Promise.reject(new Error("no adapter")))).rejects.toThrow("no adapter");
  claimBackend("wasm")();
});
