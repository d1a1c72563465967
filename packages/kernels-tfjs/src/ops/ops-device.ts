import { HandleStore, sizeOf, type Handle, type Tensor } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";

export interface OpsBackend {
  readonly device: string;
  readonly library: string;
  /** Max elements of an intermediate result. */
  readonly maxElements: number;
  /** Writes `values` [M, D] to rows `rows` int32 [M] of `data` [R, D], in place if possible. The caller owns both. */
  putRows(data: TfTensor, rows: TfTensor, values: TfTensor): TfTensor;
  dispose(): void;
}

export class OpsDevice {
  readonly backend: OpsBackend;
  readonly store: HandleStore<TfTensor> = new HandleStore();

  constructor(backend: OpsBackend) {
    this.backend = backend;
  }

  data(tensor: Tensor): TfTensor {
    return this.store.get(tensor).data;
  }

  /** Makes a float tensor; empty tensors skip the operations. */
  make(shape: readonly number[], body: () => TfTensor): Handle<TfTensor> {
    return this.store.adoptFloats(
      tf.tidy(() => (sizeOf(shape) === 0 ? tf.zeros([...shape]) : tf.reshape(body(), [...shape]))),
    );
  }

  makeAll<const N extends readonly (readonly number[])[]>(
    shapes: N,
    body: () => TfTensor[],
  ): { [K in keyof N]: Handle<TfTensor> } {
    const made = tf.tidy(() => {
      if (shapes.some((shape) => sizeOf(shape) === 0)) return shapes.map((shape) => tf.zeros([...shape]));
      return body().map((data, i) => tf.reshape(data, [...shapes[i]!]));
    });
    return made.map((data) => this.store.adoptFloats(data)) as { [K in keyof N]: Handle<TfTensor> };
  }

  /** Data derived from a tensor; cached and freed with it. */
  derive(tensor: Tensor, name: string, make: () => TfTensor): TfTensor {
    return this.store.derive(tensor, name, () => tf.keep(make()));
  }

  deriveIndices(tensor: Tensor, name: string, make: () => Int32Array): TfTensor {
    return this.derive(tensor, name, () => tf.tensor1d(make(), "int32"));
  }
}
