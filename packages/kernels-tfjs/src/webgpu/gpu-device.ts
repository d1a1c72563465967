import { sizeOf, type GradientPlace, type Tensor } from "@laconic/kernels";
import type { Handle } from "../ops/handles.ts";
import { engine, zeros, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "../ops/ops-device.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import { runForAll, runInPlace, runProgram, type ProgramRunner, type WgslProgram } from "./wgsl/run-program.ts";

/** Memory as the device hands it out. */
export function blankTensor(
  runner: ProgramRunner,
  shape: readonly number[],
  dtype: "float32" | "int32" = "float32",
): TfTensor {
  return engine().makeTensorFromTensorInfo(runner.makeTensorInfo(shape, dtype));
}

/** Memory of a cache of half precision, [positions, headDim]; float32 where a position's numbers are no pairs. */
export function blankCache(runner: ProgramRunner, shape: readonly number[]): TfTensor {
  const [positions, headDim] = shape as [number, number];
  return headDim % 2 === 0 ? blankTensor(runner, [positions, headDim / 2], "int32") : blankTensor(runner, shape);
}

/** What the shaders' kernels work with: the tensors of the other operations, and the queue. */
export class GpuDevice {
  readonly ops: OpsDevice;
  readonly runner: ProgramRunner;

  constructor(ops: OpsDevice, runner: ProgramRunner) {
    this.ops = ops;
    this.runner = runner;
  }

  data(tensor: Tensor): TfTensor {
    return this.ops.data(tensor);
  }

  /** A float tensor that a program writes as `result`; an empty one runs nothing. */
  make(shape: readonly number[], program: () => WgslProgram): Handle {
    const empty = sizeOf(shape) === 0;
    return this.ops.store.adoptFloats(empty ? zeros([...shape]) : runProgram(this.runner, program(), shape));
  }

  /** Several float tensors that a program writes by their names; none of them is empty, or all are. */
  makeAll<Name extends string>(
    shapes: Readonly<Record<Name, readonly number[]>>,
    program: () => WgslProgram,
  ): Record<Name, Handle> {
    const named = Object.entries<readonly number[]>(shapes);
    const made: Record<string, TfTensor> = named.some(([, shape]) => sizeOf(shape) === 0)
      ? Object.fromEntries(named.map(([name, shape]) => [name, zeros([...shape])]))
      : runForAll(this.runner, program(), Object.fromEntries(named.map(([name, shape]) => [name, { shape }])));
    return Object.fromEntries(
      named.map(([name]) => [name, this.ops.store.adoptFloats(made[name] as TfTensor)]),
    ) as Record<Name, Handle>;
  }

  /** A float tensor for programs to fill: its numbers are what the memory holds, zeros if `cleared`. */
  blank(shape: readonly number[], cleared = false): Handle {
    const { store } = this.ops;
    if (sizeOf(shape) === 0) return store.adoptFloats(zeros([...shape]));
    const data = blankTensor(this.runner, shape);
    // On the device: TensorFlow.js would send zeros there.
    if (cleared) runInPlace(this.runner, elementwiseProgram("clear", {}, data.size, "result[i] = 0.0;"), data);
    return store.adoptFloats(data);
  }

  /**
   * A parameter's gradient, in its place where it has one.
   * @param terms - rows that are added up; zeros where there is none
   * @param write - fills a tensor, or adds to what it holds
   * @returns the gradient where no place was given, else null
   */
  settle(
    place: GradientPlace | undefined,
    shape: readonly number[],
    terms: number,
    write: (result: TfTensor, adds: boolean) => void,
  ): Handle | null {
    if (!place) {
      const made = this.blank(shape, terms === 0);
      if (terms * sizeOf(shape) > 0) write(this.data(made), false);
      return made;
    }
    if (terms * sizeOf(shape) > 0) write(this.own(place.tensor), place.add);
    else if (!place.add) this.ops.store.replace(place.tensor, zeros([...shape]));
    return null;
  }

  /** What a product reads: float32, or int32 with two numbers of half precision each. */
  stored(tensor: Tensor): TfTensor {
    return this.ops.store.get(tensor).data;
  }

  /**
   * A tensor's data for a change in place: where a copy shares the memory, the tensor gets its own first. A matrix of half
   * precision is float32 from then on.
   */
  own(tensor: Tensor): TfTensor {
    const handle = this.ops.store.get(tensor);
    if (!handle.halves) return this.ownStored(tensor);
    const wide = this.ops.widened(handle);
    this.ops.store.replace(tensor, wide);
    return wide;
  }

  /** The same in the precision that the tensor has. */
  ownStored(tensor: Tensor): TfTensor {
    const data = this.stored(tensor);
    if (this.runner.refCount(data.dataId) === 1) return data;
    const program = elementwiseProgram("copy", { x: data }, data.size, "result[i] = x[i];");
    const dtype = data.dtype === "int32" ? "int32" : "float32";
    const { result } = runForAll(this.runner, program, { result: { shape: data.shape, dtype } });
    this.ops.store.replace(tensor, result);
    return result;
  }
}
