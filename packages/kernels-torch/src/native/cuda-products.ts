import type { LibraryHandle } from "koffi";
import { koffi } from "./koffi.ts";
import { LaconicError } from "@laconic/core";
import { cudaNames } from "../find/nvidia-libraries.ts";
import type { TorchInstall } from "../find/torch-install.ts";
import type { NativeFunction } from "./native-function.ts";
import { Slots } from "./native-memory.ts";

/** A matrix of bfloat16 in memory: rows of elements that follow one another, `stride` elements apart. */
export interface StoredMatrix {
  readonly address: number;
  readonly stride: number;
}

/** sum [rows, columns] in float32, of left [rows, inner] and right [inner, columns]. */
export interface WideProduct {
  readonly sum: number;
  /** `turned`: stored as [inner, rows]. */
  readonly left: StoredMatrix & { readonly turned: boolean };
  readonly right: StoredMatrix;
  readonly size: readonly [rows: number, inner: number, columns: number];
  /** On top of what is in `sum`. */
  readonly add: boolean;
}

/** Products of bfloat16 that add to float32 in place: PyTorch's `addmm.dtype_out` takes Scalars, which its stable interface cannot pass. */
export interface DeviceProducts {
  /** @throws LaconicError `engine_failed` with cuBLAS' status */
  enqueue(product: WideProduct, stream: number): void;
}

// cublasOperation_t, cudaDataType_t, cublasComputeType_t and cublasGemmAlgo_t.
const [asStored, transposed, bfloat16, float32, inFloat32, byDefault] = [0, 1, 14, 0, 68, -1] as const;
const [oneInFloat32, zero] = [0x3f800000, 0] as const;

/** cuBLAS, as it came with PyTorch, with a handle of our own; null where it is not found. Its defaults use no atomics. */
export function cudaProducts(install: TorchInstall): DeviceProducts | null {
  for (const name of cudaNames("cublas", install))
    try {
      return fromLibrary(koffi().load(name));
    } catch {
      // The next name.
    }
  return null;
}

function fromLibrary(library: LibraryHandle): DeviceProducts {
  const create = library.func("int cublasCreate_v2(_Out_ uint64_t*)");
  const useStream = library.func("int cublasSetStream_v2(uint64_t, uint64_t)") as NativeFunction;
  const gemm = library.func(
    "int cublasGemmEx(uint64_t, int, int, int, int, int, uint64_t, uint64_t, int, int, uint64_t, int, int, uint64_t, uint64_t, int, int, int, int)",
  ) as NativeFunction;
  const made = [0n];
  expectDone(Number(create(made)), "make a handle");
  const handle = Number(made[0]);
  const factors = new Slots(2);
  factors.setInteger(0, oneInFloat32);
  factors.setInteger(1, zero);
  let current: number | null = null;
  return {
    enqueue({ sum, left, right, size: [rows, inner, columns], add }, stream) {
      if (stream !== current) expectDone(useStream(handle, stream), "take a stream");
      current = stream;
      // By columns, as cuBLAS counts: the transposed sum is the transposed right factor times the transposed left one.
      const status = gemm(
        handle,
        asStored,
        left.turned ? transposed : asStored,
        columns,
        rows,
        inner,
        factors.addressOf(0),
        right.address,
        bfloat16,
        right.stride,
        left.address,
        bfloat16,
        left.stride,
        factors.addressOf(add ? 0 : 1),
        sum,
        float32,
        columns,
        inFloat32,
        byDefault,
      );
      expectDone(status, "multiply");
    },
  };
}

function expectDone(status: number, what: string): void {
  if (status !== 0)
    throw new LaconicError("engine_failed", `cuBLAS cannot ${what} (status ${status})`, { operator: what, status });
}
