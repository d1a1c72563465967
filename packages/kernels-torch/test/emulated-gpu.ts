import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import koffi from "koffi";
import { Slots } from "../src/native/native-memory.ts";
import type { Launcher } from "../src/programs/launcher.ts";
import { source } from "../src/programs/source.ts";

/** What CUDA C++ has and C++ has not. The threads of a block are fibers that take turns between barriers. */
const before = String.raw`
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
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
static char* stacks[most];
static float exchanged[most];
static void wait_for_all() { unsigned self = threadIdx.x; swapcontext(&fibers[self], &scheduler); threadIdx.x = self; }
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
template <auto program> void in_fiber() { apply(program, given); done[threadIdx.x] = true; swapcontext(&fibers[threadIdx.x], &scheduler); }

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
      done[i] = false;
    }
    for (bool busy = true; busy;) {
      busy = false;
      for (unsigned i = 0; i < most; i++)
        if (!done[i]) busy = true, threadIdx.x = i, swapcontext(&scheduler, &fibers[i]);
    }
  }
}
#define ALONE(NAME) if (!strcmp(name, #NAME)) return each_alone<NAME>(blocks, threads, slots), 0;
extern "C" int emulate(const char* name, unsigned blocks, unsigned threads, const long long* slots) {
  ALONE(swiglu_1) ALONE(swiglu_8) ALONE(swiglu_backward_1) ALONE(swiglu_backward_8) ALONE(rotary_1) ALONE(rotary_8)
  ALONE(head_gradient) ALONE(add_into)
  if (!strcmp(name, "head_statistics")) return together<head_statistics>(blocks, slots), 0;
  return 1;
}
`;

/** Our programs for CUDA as C++ on the processor, on memory of the processor; null without a C++ compiler. */
export function emulatedGpu(): (Launcher & { readonly launched: ReadonlySet<string> }) | null {
  const folder = mkdtempSync(join(tmpdir(), "laconic-emulated-"));
  try {
    const [file, library] = [join(folder, "programs.cc"), join(folder, "programs.so")];
    writeFileSync(file, before + source + after);
    const { status, stderr, error } = spawnSync(
      process.env["CXX"] ?? "g++",
      ["-std=c++17", "-O1", "-fno-strict-aliasing", "-shared", "-fPIC", "-w", "-o", library, file],
      { encoding: "utf8" },
    );
    if (error) return null;
    if (status !== 0) throw new Error(stderr);
    const emulate = koffi.load(library).func("int emulate(str, uint32_t, uint32_t, uint64_t)") as (
      name: string,
      blocks: number,
      threads: number,
      slots: number,
    ) => number;
    const slots = new Slots(16);
    const launched = new Set<string>();
    return {
      launched,
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
