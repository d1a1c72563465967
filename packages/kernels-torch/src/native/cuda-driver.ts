import koffi from "koffi";
import { LaconicError } from "@laconic/core";

/**
 * Asks NVIDIA's driver for a GPU, before gigabytes of libraries are loaded that crash or fail obscurely without one.
 * @throws LaconicError `device_unavailable`: no driver, or one without a GPU, with the driver's error number
 */
export function checkCudaDriver(name = "libcuda.so.1"): void {
  const { error, count } = askDriver(name);
  if (error === 0 && count > 0) return;
  const reason = error === 0 ? "finds none" : `answers with CUDA error ${error}`;
  throw new LaconicError("device_unavailable", `there is no NVIDIA GPU here: its driver ${reason}`, { error });
}

function askDriver(name: string): { readonly error: number; readonly count: number } {
  try {
    const driver = koffi.load(name);
    const initialise = driver.func("int cuInit(unsigned int)");
    const getCount = driver.func("int cuDeviceGetCount(_Out_ int*)");
    const count = [0];
    const started = initialise(0) as number;
    const error = started === 0 ? (getCount(count) as number) : started;
    return { error, count: count[0] as number };
  } catch (error) {
    throw new LaconicError("device_unavailable", `there is no NVIDIA driver here (${name})`, { library: name }, error);
  }
}
