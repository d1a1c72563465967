import { sizeOf, type AdamWMoments, type Kernels, type Tensor } from "../kernels/index.ts";
import { joinValues } from "../transformer/weight-layout.ts";
import type { TensorSource } from "../transformer/parameters.ts";

type Values = Float32Array | Float64Array;

interface HostTensors {
  readonly shape: readonly number[];
  readonly values: Partial<Record<keyof AdamWMoments, Values>>;
}

/** Optimizer state in the host's memory; the device holds that of one tensor at a time, during its update. */
export class HostMoments {
  readonly #kernels: Kernels;
  readonly #held = new Map<string, HostTensors>();

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Zero moments, and exact copies of rounded weights. */
  async allocate(trained: ReadonlyMap<string, Tensor>, hasMaster: boolean): Promise<void> {
    for (const [name, tensor] of trained) {
      const zeros = (): Values => {
        const size = sizeOf(tensor.shape);
        return this.#kernels.dtype === "float64" ? new Float64Array(size) : new Float32Array(size);
      };
      const values = { first: zeros(), second: zeros(), ...(hasMaster && { master: await this.#exact(tensor) }) };
      this.#held.set(name, { shape: tensor.shape, values });
    }
  }

  async lend(name: string, update: (moments: AdamWMoments) => void | Promise<void>): Promise<void> {
    const { shape, values } = this.#tensors(name);
    const kinds = Object.keys(values) as (keyof AdamWMoments)[];
    const kernels = this.#kernels;
    const tensors = kinds.map((kind) => kernels.upload(values[kind] as Values, shape, "full"));
    const moments = Object.fromEntries(kinds.map((kind, i) => [kind, tensors[i]])) as unknown as AdamWMoments;
    try {
      await update(moments);
      for (const [i, kind] of kinds.entries()) values[kind] = (await kernels.read(tensors[i] as Tensor)) as Values;
    } finally {
      kernels.free(...tensors);
    }
  }

  /** A part of a tensor, from element `start`. */
  source(name: string, kind: keyof AdamWMoments, start: number, shape: readonly number[]): TensorSource | null {
    const values = this.#held.get(name)?.values[kind];
    return values ? { shape, read: async () => values.slice(start, start + sizeOf(shape)) } : null;
  }

  /** Replaces one kind by the joined values of stored parts. */
  async write(name: string, kind: keyof AdamWMoments, parts: readonly TensorSource[]): Promise<void> {
    const read: Values[] = [];
    for (const part of parts) read.push(await part.read());
    const { values } = this.#tensors(name);
    (values[kind] as Values).set(joinValues(read));
  }

  clear(): void {
    this.#held.clear();
  }

  async #exact(tensor: Tensor): Promise<Values> {
    const copy = this.#kernels.scope(() => this.#kernels.keep(this.#kernels.copy(tensor, "full")));
    try {
      return (await this.#kernels.read(copy)) as Values;
    } finally {
      this.#kernels.free(copy);
    }
  }

  #tensors(name: string): HostTensors {
    return this.#held.get(name) as HostTensors;
  }
}
