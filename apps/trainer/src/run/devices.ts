import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "@laconic/engine/kernels";
import { wasmKernels } from "@laconic/kernels-tfjs";

/** A device that the app knows, in the order `auto` tries them. */
interface KnownDevice {
  readonly name: string;
  readonly about: string;
  source(): KernelSource;
}

const devices: readonly KnownDevice[] = [
  { name: "wasm", about: "TensorFlow.js and SIMD kernels on WebAssembly; needs nothing but npm", source: wasmKernels },
];

export interface DeviceReport {
  readonly name: string;
  readonly about: string;
  readonly works: boolean;
  /** Library and version, or what is missing. */
  readonly detail: string;
}

/** Starts each device once and multiplies two numbers on it. */
export async function probeDevices(): Promise<DeviceReport[]> {
  return Promise.all(
    devices.map(async ({ name, about, source }): Promise<DeviceReport> => {
      try {
        const { module, options } = source();
        const { createKernels } = (await import(module)) as { createKernels: CreateKernels };
        const kernels = await createKernels(options);
        const six = kernels.linear(
          kernels.upload(Float32Array.of(2), [1, 1]),
          kernels.upload(Float32Array.of(3), [1, 1]),
        );
        const works = (await kernels.read(six))[0] === 6;
        const detail = works ? kernels.backend : `${kernels.backend}: 2 x 3 came out wrong`;
        kernels.dispose();
        return { name, about, works, detail };
      } catch (error) {
        return { name, about, works: false, detail: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
}

/** @throws LaconicError `device_unavailable` for a device that does not exist. */
export function deviceSource(name: string): KernelSource {
  const device = name === "auto" ? devices[0] : devices.find((each) => each.name === name);
  if (!device)
    throw new LaconicError(
      "device_unavailable",
      `device ${name} is not known; use auto or ${devices.map((each) => each.name).join(", ")}`,
      {
        device: name,
      },
    );
  return device.source();
}
