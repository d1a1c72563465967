import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { checkCudaDriver, listGpus } from "./cuda-driver.ts";

const refused = (library: string): unknown =>
  expect.objectContaining({
    code: "device_unavailable",
    message: `no NVIDIA driver found (${library})`,
    detail: { library },
  });

test("names a machine without NVIDIA's driver", () => {
  expect(() => checkCudaDriver(0, "libcuda-that-nobody-has.so.1")).toThrowError(
    refused("libcuda-that-nobody-has.so.1"),
  );
});

test.skipIf(!existsSync("/lib/x86_64-linux-gnu/libm.so.6"))("and so is one where another library has its name", () => {
  expect(() => checkCudaDriver(0, "libm.so.6")).toThrowError(refused("libm.so.6"));
});

/** A driver that answers as NVIDIA's does, for two cards; null without a compiler. */
async function driverOf(initialises: number, count: number): Promise<string | null> {
  const folder = await temporaryFolder();
  const [source, library] = [join(folder, "driver.c"), join(folder, "libcuda.so")];
  await writeFile(
    source,
    `#include <stddef.h>
#include <stdio.h>
int cuInit(unsigned int flags) { return ${initialises}; }
int cuDeviceGetCount(int *count) { *count = ${count}; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = 40 + ordinal; return 0; }
int cuDeviceGetName(char *name, int length, int device) { snprintf(name, length, "Card %d", device); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)device << 31; return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) { *value = which == 75 ? 9 : which == 76 ? device - 40 : -1; return 0; }
`,
  );
  const { status } = spawnSync("cc", ["-shared", "-fPIC", "-o", library, source]);
  return status === 0 ? library : null;
}

test("a driver's GPUs come with index, name, memory and compute capability", async ({ skip }) => {
  const library = await driverOf(0, 2);
  if (library === null) return skip("there is no C compiler");
  expect(listGpus(library)).toEqual([
    { index: 0, name: "Card 40", memory: 40 * 2 ** 31, computeCapability: "9.0" },
    { index: 1, name: "Card 41", memory: 41 * 2 ** 31, computeCapability: "9.1" },
  ]);
  expect(checkCudaDriver(1, library)).toBeUndefined();
  expect(() => checkCudaDriver(2, library)).toThrowError("GPU 2 not found; available: 0 (Card 40), 1 (Card 41)");
});

test("names a driver without a GPU", async ({ skip }) => {
  const [refuses, finds] = [await driverOf(100, 0), await driverOf(0, 0)];
  if (refuses === null || finds === null) return skip("there is no C compiler");
  expect(() => listGpus(refuses)).toThrowError("no NVIDIA GPU found: the driver reports CUDA error 100");
  expect(() => listGpus(finds)).toThrowError("no NVIDIA GPU found: the driver lists none");
});
