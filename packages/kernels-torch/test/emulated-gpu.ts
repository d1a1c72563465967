import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import koffi from "koffi";
import { Slots } from "../src/native/native-memory.ts";
import type { DeviceProducts } from "../src/native/cuda-products.ts";
import type { Launcher } from "../src/programs/launcher.ts";
import { source } from "../src/programs/source.ts";

/** What CUDA C++ has and C++ has not. The threads of a block are fibers that take turns between barriers. */
const before = String.raw`
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <csetjmp>
#include <ucontext.h>
#define __device__
#define __global__
#define __forceinline__ inline
#define __shared__ static
struct dim3 { unsigned x; };
struct uint4 { unsigned x, y, z, w; };
struct float4 { float x, y, z, w; };
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline float __uint_as_float(unsigned bits) { float x; memcpy(&x, &bits, 4); return x; }
static inline unsigned __float_as_uint(float x) { unsigned bits; memcpy(&bits, &x, 4); return bits; }
static dim3 blockIdx, threadIdx, blockDim, gridDim;
static const int most = 64, stack = 1 << 15;
static ucontext_t scheduler, fibers[most];
/* A context is entered once; after that jumps, which ask the system nothing. */
static jmp_buf home, jumps[most];
static bool started[most];
static char* stacks[most];
static float exchanged[most];
static void wait_for_all() { unsigned self = threadIdx.x; if (!_setjmp(jumps[self])) _longjmp(home, 1); threadIdx.x = self; }
#define __syncthreads wait_for_all
static float __shfl_xor_sync(unsigned, float value, int step) {
  exchanged[threadIdx.x] = value;
  wait_for_all();
  float other = exchanged[threadIdx.x ^ step];
  wait_for_all();
  return other;
}
`;

const after = String.raw`
template <class T> T take(const long long* slot) { T value; memcpy(&value, slot, sizeof(T)); return value; }
template <class... Types, size_t... I>
void apply(void (*program)(Types...), const long long* slots, std::index_sequence<I...>) { program(take<Types>(slots + I)...); }
template <class... Types> void apply(void (*program)(Types...), const long long* slots) {
  apply(program, slots, std::index_sequence_for<Types...>{});
}
static const long long* given;
static bool done[most];
template <auto program> void in_fiber() { apply(program, given); done[threadIdx.x] = true; _longjmp(home, 1); }

/* Threads one after the other. */
template <auto program> void each_alone(unsigned blocks, unsigned threads, const long long* slots) {
  gridDim.x = blocks, blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
    for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) apply(program, slots);
}
/* Threads that wait for each other; two warps of them, whatever was asked for. */
template <auto program> void together(unsigned blocks, const long long* slots) {
  gridDim.x = blocks, blockDim.x = most, given = slots;
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
    for (unsigned i = 0; i < most; i++) {
      if (!stacks[i]) stacks[i] = (char*)malloc(stack);
      getcontext(&fibers[i]);
      fibers[i].uc_stack.ss_sp = stacks[i], fibers[i].uc_stack.ss_size = stack, fibers[i].uc_link = &scheduler;
      makecontext(&fibers[i], in_fiber<program>, 0);
      done[i] = started[i] = false;
    }
    for (volatile bool busy = true; busy;) {
      busy = false;
      for (volatile unsigned i = 0; i < most; i++) {
        if (done[i]) continue;
        busy = true, threadIdx.x = i;
        if (_setjmp(home)) continue;
        if (started[i]) _longjmp(jumps[i], 1);
        started[i] = true;
        setcontext(&fibers[i]);
      }
    }
  }
}
#define ALONE(NAME) if (!strcmp(name, #NAME)) return each_alone<NAME>(blocks, threads, slots), 0;
/* sum [rows, columns] (+)= left right; left is [rows, inner], or turned [inner, rows]. */
extern "C" void emulate_product(float* sum, const bf16* left, whole leftStride, int turned, const bf16* right,
                                whole rightStride, whole rows, whole inner, whole columns, int add) {
  for (whole r = 0; r < rows; r++)
    for (whole c = 0; c < columns; c++) {
      double total = 0;
      for (whole i = 0; i < inner; i++)
        total += (double)wide(left[turned ? i * leftStride + r : r * leftStride + i]) * wide(right[i * rightStride + c]);
      sum[r * columns + c] = (add ? sum[r * columns + c] : 0) + (float)total;
    }
}
#define TOGETHER(NAME) if (!strcmp(name, #NAME)) return together<NAME>(blocks, slots), 0;
extern "C" int emulate(const char* name, unsigned blocks, unsigned threads, const long long* slots) {
  ALONE(swiglu_1) ALONE(swiglu_8) ALONE(swiglu_backward_1) ALONE(swiglu_backward_8) ALONE(rotary_1) ALONE(rotary_8)
  ALONE(rotate_back_and_join_1) ALONE(rotate_back_and_join_8) ALONE(head_gradient) ALONE(add_rows)
  TOGETHER(head_statistics) TOGETHER(add_norm_1) TOGETHER(add_norm_8) TOGETHER(norm_backward_1) TOGETHER(norm_backward_8)
  TOGETHER(sum_parts) TOGETHER(join_attention)
  return 1;
}
`;

/** Our own programs, and cuBLAS' products that add up. */
export interface EmulatedGpu extends Launcher, DeviceProducts {
  readonly launched: ReadonlySet<string>;
}

/** Our programs for CUDA as C++ on the processor, on memory of the processor; null without a C++ compiler. */
export function emulatedGpu(): EmulatedGpu | null {
  const folder = mkdtempSync(join(tmpdir(), "laconic-emulated-"));
  try {
    const [file, library] = [join(folder, "programs.cc"), join(folder, "programs.so")];
    writeFileSync(file, before + source + after);
    const { status, stderr, error } = spawnSync(
      process.env["CXX"] ?? "g++",
      ["-std=c++17", "-O1", "-U_FORTIFY_SOURCE", "-fno-strict-aliasing", "-shared", "-fPIC", "-w", "-o", library, file],
      { encoding: "utf8" },
    );
    if (error) return null;
    if (status !== 0) throw new Error(stderr);
    const loaded = koffi.load(library);
    const multiply = loaded.func(
      "void emulate_product(uint64_t, uint64_t, int64_t, int, uint64_t, int64_t, int64_t, int64_t, int64_t, int)",
    );
    const emulate = loaded.func("int emulate(str, uint32_t, uint32_t, uint64_t)") as (
      name: string,
      blocks: number,
      threads: number,
      slots: number,
    ) => number;
    const slots = new Slots(16);
    const launched = new Set<string>();
    return {
      launched,
      enqueue({ sum, left, right, size, add }) {
        const factors = [left.address, left.stride, left.turned ? 1 : 0, right.address, right.stride];
        multiply(sum, ...factors, ...size, add ? 1 : 0);
      },
      launch(name, blocks, threads, _stream, args) {
        args.forEach((argument, i) => {
          if (typeof argument === "number") slots.setInteger(i, argument);
          else slots.setDouble(i, argument.float);
        });
        if (emulate(name, blocks, threads, slots.address) !== 0) throw new Error(`no program ${name}`);
        launched.add(name);
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
