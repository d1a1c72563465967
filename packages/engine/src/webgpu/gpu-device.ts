import { mapValues } from "@laconic/core";
import { HandleStore, sizeOf, type GradientPlace, type Handle, type Tensor } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { ProgramRunner } from "./program-runner.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import type { WgslProgram } from "./wgsl/program.ts";

export class GpuDevice {
  readonly runner: ProgramRunner;
  readonly store: HandleStore<GpuArray> = new HandleStore();

  constructor(runner: ProgramRunner) {
    this.runner = runner;
  }

  data(tensor: Tensor): GpuArray {
    return this.store.get(tensor).data;
  }

  make(shape: readonly number[], program: () => WgslProgram): Handle<GpuArray> {
    return sizeOf(shape) === 0 ? this.blank(shape) : this.store.adoptFloats(this.runner.run(program(), shape));
  }

  /** All or none are empty. */
  makeAll<Name extends string>(
    shapes: Readonly<Record<Name, readonly number[]>>,
    program: () => WgslProgram,
  ): Record<Name, Handle<GpuArray>> {
    const named = Object.entries<readonly number[]>(shapes);
    const isEmpty = named.some(([, shape]) => sizeOf(shape) === 0);
    const made = Object.fromEntries(named.map(([name, shape]) => [name, this.runner.blank(shape)]));
    if (!isEmpty) this.runner.runChanging(program(), made);
    return mapValues(made, (data) => this.store.adoptFloats(data)) as Record<Name, Handle<GpuArray>>;
  }

  /** Uninitialized float tensor. */
  blank(shape: readonly number[]): Handle<GpuArray> {
    return this.store.adoptFloats(this.runner.blank(shape));
  }

  zeros(shape: readonly number[]): Handle<GpuArray> {
    return this.store.adoptFloats(this.runner.zeros(shape));
  }

  /**
   * Computes a parameter's gradient, in place if possible; then null.
   * @param terms - number of summed rows
   * @param write - fills or adds to an array
   */
  settle(
    slot: GradientPlace | undefined,
    shape: readonly number[],
    terms: number,
    write: (result: GpuArray, adds: boolean) => void,
  ): Handle<GpuArray> | null {
    if (terms * sizeOf(shape) === 0) {
      if (!slot) return this.zeros(shape);
      if (!slot.add) this.runner.clear(this.unshared(slot.tensor));
      return null;
    }
    if (slot) {
      write(this.unshared(slot.tensor), slot.add);
      return null;
    }
    const made = this.blank(shape);
    write(made.data, false);
    return made;
  }

  /** Copies shared memory before changes. */
  unshared(tensor: Tensor): GpuArray {
    const handle = this.store.get(tensor);
    handle.forget();
    const { data } = handle;
    if (!data.isShared) return data;
    const { shape, dtype, size } = data;
    const program = elementwiseProgram("copy", { x: data }, size, "result[i] = x[i];");
    const { result } = this.runner.runForAll(program, { result: { shape, dtype } });
    this.store.replace(tensor, result);
    return result;
  }

  deriveIndices(tensor: Tensor, name: string, make: () => Int32Array): GpuArray {
    return this.store.derive(tensor, name, () => {
      const indices = make();
      return this.runner.upload(indices, [indices.length]);
    });
  }
}
