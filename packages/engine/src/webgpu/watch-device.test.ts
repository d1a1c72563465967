import { expect, test } from "vitest";
import { watchDevice } from "./program-runner.ts";

class GPUOutOfMemoryError {
  readonly message = "Out of memory: 4 GiB\nstack";
}
class GPUValidationError {
  readonly message = "binding too large";
}

class FakeDevice {
  onuncapturederror: ((event: { error: { message: string } }) => void) | null = null;
  lose: (info: { reason: string; message: string }) => void = () => undefined;
  readonly lost: Promise<{ reason: string; message: string }> = new Promise((resolve) => void (this.lose = resolve));
}

test("errors have kinds, and the first one remains", () => {
  const device = new FakeDevice();
  const failure = watchDevice(device);
  expect(failure()).toBeNull();
  device.onuncapturederror?.({ error: new GPUOutOfMemoryError() });
  device.onuncapturederror?.({ error: new GPUValidationError() });
  expect(failure()).toFailWith("device_out_of_memory", "WebGPU: Out of memory: 4 GiB");
});

test("a lost device is an engine failure with its reason", async () => {
  const device = new FakeDevice();
  const failure = watchDevice(device);
  device.lose({ reason: "unknown", message: "the driver was reset" });
  await device.lost;
  await Promise.resolve();
  expect(failure()).toFailWith("engine_failed", "the GPU was lost (unknown): the driver was reset");
});
