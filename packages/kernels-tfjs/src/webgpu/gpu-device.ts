import { expectFloats, sizeOf, type GradientPlace, type Tensor } from "@laconic/kernels";
import type { Handle } from "../ops/handles.ts";
import { engine, zeros, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "../ops/ops-device.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import { runForAll, runProgram, type ProgramRunner, type WgslProgram } from "./wgsl/run-program.ts";

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

  /** A float tensor for programs to fill: its numbers are what the memory holds, zeros where told. */
  blank(shape: readonly number[], cleared = false): Handle {
    const filled = cleared || sizeOf(shape) === 0;
    const data = filled
      ? zeros([...shape])
      : engine().makeTensorFromTensorInfo(this.runner.makeTensorInfo(shape, "float32"));
    return this.ops.store.adoptFloats(data);
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
    expectFloats(place.tensor, shape, "a gradient's place");
    if (terms * sizeOf(shape) > 0) write(this.own(place.tensor), place.add);
    else if (!place.add) this.ops.store.replace(place.tensor, zeros([...shape]));
    return null;
  }

  /** A tensor's data for a change in place: where a copy shares the memory, the tensor gets its own first. */
  own(tensor: Tensor): TfTensor {
    const data = this.data(tensor);
    if (this.runner.refCount(data.dataId) === 1) return data;
    const program = elementwiseProgram("copy", { x: data }, data.size, "result[i] = x[i];");
    const copied = runProgram(this.runner, program, data.shape);
    this.ops.store.replace(tensor, copied);
    return copied;
  }
}
