import type { LibraryHandle } from "koffi";
import { koffi } from "../native/koffi.ts";
import { LaconicError } from "@laconic/core";
import { cudaNames } from "../find/nvidia-libraries.ts";
import type { TorchInstall } from "../find/torch-install.ts";

/** NVIDIA's run-time compiler, which comes with PyTorch's CUDA wheels; it needs no GPU. */
export interface CudaCompiler {
  /**
   * @param architecture - as in `sm_90`
   * @returns machine code for that architecture
   * @throws LaconicError `device_unavailable` with the compiler's words
   */
  compile(source: string, architecture: string): Buffer;
}

/** Null where the compiler is not installed. */
export function cudaCompiler(install: TorchInstall): CudaCompiler | null {
  // What the compiler opens by its bare name.
  for (const name of cudaNames("nvrtc-builtins", install)) koffi().load(name, { global: true });
  for (const name of cudaNames("nvrtc", install))
    try {
      return fromLibrary(koffi().load(name));
    } catch {
      // The next name.
    }
  return null;
}

function fromLibrary(library: LibraryHandle): CudaCompiler {
  const create = library.func("int nvrtcCreateProgram(_Out_ uint64_t*, str, str, int, void*, void*)");
  const compile = library.func("int nvrtcCompileProgram(uint64_t, int, const char **)");
  const logSize = library.func("int nvrtcGetProgramLogSize(uint64_t, _Out_ size_t*)");
  const log = library.func("int nvrtcGetProgramLog(uint64_t, _Out_ uint8_t*)");
  const codeSize = library.func("int nvrtcGetCUBINSize(uint64_t, _Out_ size_t*)");
  const code = library.func("int nvrtcGetCUBIN(uint64_t, _Out_ uint8_t*)");
  const destroy = library.func("int nvrtcDestroyProgram(uint64_t*)");
  const bytesOf = (
    program: number | bigint,
    size: (program: number | bigint, into: number[]) => number,
    copy: (program: number | bigint, into: Buffer) => number,
  ): Buffer => {
    const length = [0];
    size(program, length);
    const bytes = Buffer.alloc(Number(length[0]));
    copy(program, bytes);
    return bytes;
  };
  return {
    compile(source, architecture) {
      const made: (number | bigint)[] = [0];
      expectDone(create(made, source, "laconic.cu", 0, null, null), "make a program");
      const program = made[0] as number | bigint;
      try {
        const status = Number(compile(program, 2, [`--gpu-architecture=${architecture}`, "--std=c++17"]));
        const words = (): string => bytesOf(program, logSize, log).toString("utf8").replaceAll("\0", "").trim();
        expectDone(status, `compile for ${architecture}`, words);
        return bytesOf(program, codeSize, code);
      } finally {
        destroy(made);
      }
    },
  };
}

function expectDone(status: number, what: string, words: () => string = () => ""): void {
  if (status === 0) return;
  throw new LaconicError("device_unavailable", `NVRTC cannot ${what} (error ${status}) ${words()}`.trim(), { status });
}
