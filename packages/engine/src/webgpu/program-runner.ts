import { LaconicError, mapValues } from "@laconic/core";
import { sizeOf, type KernelCounters } from "../kernels/index.ts";
import { BufferPool } from "./buffer-pool.ts";
import { CommandQueue } from "./command-queue.ts";
import { GpuArray } from "./gpu-array.ts";
import { bufferUsage, mapModeRead } from "./gpu.ts";
import type { ComputeDevice, ComputePipeline, GpuBuffer, WatchedDevice } from "./gpu.ts";
import type { OpenGpu } from "./open-gpu.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import { programSource, threads, type WgslProgram } from "./wgsl/program.ts";

/** Default float32. */
export interface Made {
  readonly shape: readonly number[];
  readonly dtype?: "float32" | "int32";
}

interface Compiled {
  readonly pipeline: ComputePipeline;
  readonly layout: object;
}

/** Max workgroups per dimension. */
const maxGroups = 65_535;

export class ProgramRunner {
  readonly limits: ComputeDevice["limits"];
  readonly #gpu: OpenGpu;
  readonly #buffers: BufferPool;
  readonly #staging: BufferPool;
  readonly #commands: CommandQueue;
  readonly #compiled = new Map<string, Compiled>();
  readonly #failure: () => LaconicError | null;
  readonly #counts = { operations: 0, hostCopies: 0, bytesToDevice: 0, bytesToHost: 0 };

  constructor(gpu: OpenGpu) {
    const { device } = gpu;
    this.#gpu = gpu;
    this.limits = device.limits;
    this.#failure = watchDevice(device);
    const { storage, copySource, copyTarget, mapRead } = bufferUsage;
    this.#buffers = new BufferPool(device, storage + copySource + copyTarget);
    this.#staging = new BufferPool(device, mapRead + copyTarget);
    this.#commands = new CommandQueue(device, () => this.#buffers.sent());
  }

  /** Uninitialized array. */
  blank(shape: readonly number[], dtype: "float32" | "int32" = "float32"): GpuArray {
    return this.#array(shape, dtype, this.#buffers.take(bytesOf(shape)));
  }

  /** Allocated at first use; weights are often replaced before. */
  zeros(shape: readonly number[], dtype: "float32" | "int32" = "float32"): GpuArray {
    return this.#array(shape, dtype, () => {
      const made = this.blank(shape, dtype);
      this.clear(made);
      return made.buffer;
    });
  }

  clear(data: GpuArray): void {
    const zero = data.dtype === "int32" ? "0" : "0.0";
    this.runInPlace(elementwiseProgram("clear", {}, data.size, `result[i] = ${zero};`), data);
  }

  upload(values: Float32Array | Float64Array | Int32Array, shape: readonly number[]): GpuArray {
    const data = values instanceof Float64Array ? Float32Array.from(values) : values;
    const buffer = this.#buffers.takeIdle(bytesOf(shape));
    this.#gpu.device.queue.writeBuffer(buffer, 0, data);
    this.#sent(data.byteLength);
    return this.#array(shape, data instanceof Int32Array ? "int32" : "float32", buffer);
  }

  /** Waits for the device. @throws LaconicError `engine_failed`, `device_out_of_memory`: the first error */
  async read({ buffer, size, dtype }: GpuArray): Promise<Float32Array | Int32Array> {
    if (size === 0) return dtype === "int32" ? new Int32Array() : new Float32Array();
    const staging = this.#staging.take(4 * size);
    this.#commands.copy(buffer, staging, 4 * size);
    this.#commands.submit();
    const rejected = await staging.mapAsync(mapModeRead).then(
      () => null,
      (error: unknown) => error as Error,
    );
    const failure = this.#failure();
    if (failure) throw failure;
    if (rejected)
      throw new LaconicError("engine_failed", `WebGPU: ${rejected.message}`, { device: "webgpu" }, rejected);
    const bytes = staging.getMappedRange().slice(0);
    staging.unmap();
    this.#staging.give(staging);
    this.#counts.hostCopies += 1;
    this.#counts.bytesToHost += 4 * size;
    return dtype === "int32" ? new Int32Array(bytes) : new Float32Array(bytes);
  }

  /** The caller owns `result`, float32. */
  run(program: WgslProgram, shape: readonly number[]): GpuArray {
    return this.runForAll(program, { result: { shape } }).result;
  }

  runForAll<Name extends string>(program: WgslProgram, outputs: Readonly<Record<Name, Made>>): Record<Name, GpuArray> {
    const made = mapValues(outputs, ({ shape, dtype }) => this.blank(shape, dtype)) as Record<Name, GpuArray>;
    this.runChanging(program, made);
    return made;
  }

  runInPlace(program: WgslProgram, result: GpuArray): void {
    this.runChanging(program, { result });
  }

  /** Runs a program in place; the arrays must not be shared. */
  runChanging(program: WgslProgram, changed: Readonly<Record<string, GpuArray>>): void {
    const { groups, inputs } = program;
    if (groups === 0) return;
    const [integers, floats] = [Object.values(program.integers), Object.values(program.floats ?? {})];
    const bytes = new Uint8Array(4 * (integers.length + floats.length));
    new Int32Array(bytes.buffer).set(integers);
    new Float32Array(bytes.buffer).set(floats, integers.length);
    const { pipeline, layout } = this.#compile(program, changed);
    const buffers = [...Object.values(changed), ...Object.values(inputs)].map(({ buffer }) => buffer);
    const columns = groups <= maxGroups ? groups : Math.ceil(Math.sqrt(groups));
    this.#commands.dispatch(pipeline, layout, buffers, bytes, [columns, Math.ceil(groups / columns)]);
    this.#counts.operations += 1;
    this.#sent(bytes.byteLength);
  }

  counters(): KernelCounters {
    return { ...this.#counts, nativeCalls: 0, dispatcherCalls: 0, blockingCopies: 0 };
  }

  dispose(): void {
    this.#gpu.device.destroy();
  }

  #compile(
    { name, constants, inputs, vectors = [], integers, floats = {}, groupSize = threads, code }: WgslProgram,
    written: Readonly<Record<string, GpuArray>>,
  ): Compiled {
    const buffers = [written, inputs].flatMap((arrays) =>
      Object.entries(arrays).map(([key, { dtype }]) => ({
        name: key,
        written: arrays === written,
        type: typeOf(dtype, arrays === inputs && vectors.includes(key)),
      })),
    );
    const settings = { ...constants, THREADS: groupSize };
    const key = [name, ...Object.values(settings), ...buffers.map(({ type }) => type)].join(" ");
    const cached = this.#compiled.get(key);
    if (cached) return cached;
    const label = `laconic ${name}`;
    const fields = { integers: Object.keys(integers), floats: Object.keys(floats) };
    const source = programSource({ constants: settings, buffers, ...fields, code });
    const { device } = this.#gpu;
    const module = device.createShaderModule({ code: source, label });
    const compute = { module, entryPoint: "start" };
    const pipeline = device.createComputePipeline({ compute, label, layout: "auto" });
    const compiled = { pipeline, layout: pipeline.getBindGroupLayout(0) };
    this.#compiled.set(key, compiled);
    return compiled;
  }

  #array(shape: readonly number[], dtype: "float32" | "int32", buffer: GpuBuffer | (() => GpuBuffer)): GpuArray {
    return GpuArray.over(shape, dtype, buffer, (freed) => this.#buffers.give(freed));
  }

  #sent(bytes: number): void {
    this.#counts.hostCopies += 1;
    this.#counts.bytesToDevice += bytes;
  }
}

function bytesOf(shape: readonly number[]): number {
  return 4 * Math.max(1, sizeOf(shape));
}

function typeOf(dtype: string, vector: boolean): string {
  const element = dtype === "float32" ? "f32" : "i32";
  return vector ? `vec4<${element}>` : element;
}

/** Errors arrive later; failed calls leave results unchanged. Returns the first error, or null. */
export function watchDevice(device: WatchedDevice): () => LaconicError | null {
  let failure: LaconicError | null = null;
  device.onuncapturederror = ({ error }) => {
    const full = error.constructor.name === "GPUOutOfMemoryError";
    failure ??= new LaconicError(
      full ? "device_out_of_memory" : "engine_failed",
      `WebGPU: ${error.message.split("\n")[0]}`,
      { device: "webgpu" },
    );
  };
  void device.lost.then(({ reason, message }) => {
    failure ??= new LaconicError("engine_failed", `the GPU was lost (${reason}): ${message}`, { device: "webgpu" });
  });
  return () => failure;
}
