import { koffi } from "./native-memory.ts";
import { LaconicError } from "@laconic/core";
import { systemOf } from "@laconic/core/platform";

/** GPU that NVIDIA's driver shows. */
export interface Gpu {
  /** Number in `cuda:1`; depends on CUDA_VISIBLE_DEVICES. */
  readonly index: number;
  readonly name: string;
  readonly memory: number;
  /** Such as `9.0`. */
  readonly computeCapability: string;
}

/**
 * Checks for a GPU before loading libraries that crash without one.
 * @throws LaconicError `device_unavailable`
 */
export function checkCudaDriver(index = 0, name?: string): void {
  const gpus = listGpus(name);
  if (index < gpus.length) return;
  const names = gpus.map((gpu) => `${gpu.index} (${gpu.name})`).join(", ");
  throw new LaconicError("device_unavailable", `GPU ${index} not found; available: ${names}`, { index });
}

/**
 * Lists GPUs in CUDA's order. Starts the driver.
 * @throws LaconicError `device_unavailable` with the driver's error number
 */
export function listGpus(name: string = driverName): Gpu[] {
  const { error, gpus } = askDriver(name);
  if (error === 0 && gpus.length > 0) return gpus;
  const reason = error === 0 ? "lists none" : `reports CUDA error ${error}`;
  throw new LaconicError("device_unavailable", `no NVIDIA GPU found: the driver ${reason}`, { error });
}

const driverName = systemOf(process.platform).title === "Windows" ? "nvcuda.dll" : "libcuda.so.1";

/** Attribute numbers in the driver's header. */
const [computeCapabilityMajor, computeCapabilityMinor] = [75, 76];

function askDriver(name: string): { readonly error: number; readonly gpus: Gpu[] } {
  try {
    const driver = koffi().load(name);
    const initialise = driver.func("int cuInit(unsigned int)");
    const getCount = driver.func("int cuDeviceGetCount(_Out_ int*)");
    const getDevice = driver.func("int cuDeviceGet(_Out_ int*, int)");
    const getName = driver.func("int cuDeviceGetName(_Out_ char*, int, int)");
    const getMemory = driver.func("int cuDeviceTotalMem_v2(_Out_ size_t*, int)");
    const getAttribute = driver.func("int cuDeviceGetAttribute(_Out_ int*, int, int)");
    const ask = (query: (into: unknown[]) => unknown): { error: number; value: unknown } => {
      const into: unknown[] = [0];
      return { error: Number(query(into)), value: into[0] };
    };
    const error = Number(initialise(0));
    if (error !== 0) return { error, gpus: [] };
    const count = ask((into) => getCount(into));
    const gpus = Array.from({ length: Number(count.value) }, (_, index): Gpu => {
      const device = Number(ask((into) => getDevice(into, index)).value);
      const label = Buffer.alloc(128);
      getName(label, label.length, device);
      const attribute = (which: number): number => Number(ask((into) => getAttribute(into, which, device)).value);
      return {
        index,
        name: label.toString("utf8").split("\0", 1)[0]!,
        memory: Number(ask((into) => getMemory(into, device)).value),
        computeCapability: `${attribute(computeCapabilityMajor)}.${attribute(computeCapabilityMinor)}`,
      };
    });
    return { error: count.error, gpus };
  } catch (error) {
    throw new LaconicError("device_unavailable", `no NVIDIA driver found (${name})`, { library: name }, error);
  }
}
