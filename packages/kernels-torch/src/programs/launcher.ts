import { koffi } from "../native/koffi.ts";
import { LaconicError } from "@laconic/core";
import { cudaDriver, listGpus } from "../native/cuda-driver.ts";
import { Slots } from "../native/native-memory.ts";
import type { NativeFunction } from "../native/native-function.ts";
import type { TorchInstall } from "../find/torch-install.ts";
import { cudaCompiler } from "./compile.ts";
import { source } from "./source.ts";

/** What a program gets: a whole number (addresses too), or another one. */
export type LaunchArgument = number | { readonly float: number };

/** Runs our own programs on a GPU. */
export interface Launcher {
  /**
   * Enqueues a program on a stream.
   * @param stream - as CUDA's `CUstream`
   * @throws LaconicError `engine_failed` with the driver's error number
   */
  launch(name: string, blocks: number, threads: number, stream: number, args: readonly LaunchArgument[]): void;
}

const maxArguments = 12;

/**
 * Compiles our programs for a GPU; null where PyTorch's run-time compiler or the driver's functions are missing, or the
 * compiler does not know the card. PyTorch must have used the GPU on this thread before.
 */
export function createLauncher(install: TorchInstall, index: number): Launcher | null {
  const compiler = cudaCompiler(install);
  const gpu = listGpus()[index];
  if (!compiler || !gpu) return null;
  try {
    const code = compiler.compile(source, `sm_${gpu.computeCapability.replace(".", "")}`);
    return driverLauncher(code);
  } catch {
    return null;
  }
}

function driverLauncher(code: Buffer): Launcher {
  const driver = koffi().load(cudaDriver());
  const loadModule = driver.func("int cuModuleLoadData(_Out_ uint64_t*, const uint8_t*)");
  const findFunction = driver.func("int cuModuleGetFunction(_Out_ uint64_t*, uint64_t, str)");
  const run = driver.func(
    "int cuLaunchKernel(uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t)",
  ) as NativeFunction;
  const [loaded, found] = [[0n], [0n]];
  expectDone(loadModule(loaded, code), "load the programs");
  const functions = new Map<string, number>();
  const functionOf = (name: string): number => {
    let address = functions.get(name);
    if (address === undefined) {
      expectDone(findFunction(found, loaded[0], name), `find ${name}`);
      address = Number(found[0]);
      functions.set(name, address);
    }
    return address;
  };
  // The driver copies what the addresses point to before it returns.
  const [values, addresses] = [new Slots(maxArguments), new Slots(maxArguments)];
  for (let i = 0; i < maxArguments; i++) addresses.setInteger(i, values.addressOf(i));
  return {
    launch(name, blocks, threads, stream, args) {
      args.forEach((argument, i) => {
        if (typeof argument === "number") values.setInteger(i, argument);
        else values.setDouble(i, argument.float);
      });
      expectDone(run(functionOf(name), blocks, 1, 1, threads, 1, 1, 0, stream, addresses.address, 0), `launch ${name}`);
    },
  };
}

function expectDone(status: number, what: string): void {
  if (status !== 0)
    throw new LaconicError("engine_failed", `CUDA cannot ${what} (error ${status})`, { operator: what, status });
}
