import type { OptimizerResult, OptimizerSettings } from "@laconic/core";
import { roundsWeights, sizeOf } from "../kernels/index.ts";
import type { AdamWMoments, AdamWTensors, Kernels, Tensor } from "../kernels/index.ts";
import type { StoredMoments } from "../weights/model-folder.ts";
import type { TensorSource } from "../transformer/parameters.ts";
import { trainable, type ModelOnDevice } from "../transformer/model-on-device.ts";
import {
  allocateTogether,
  copyTogether,
  heldTensors,
  readPart,
  shapesOf,
  writeSources,
  joinValues,
} from "../transformer/weight-layout.ts";
import { muonStep } from "./muon.ts";

/** Where moments and exact weights are between steps. */
export type OptimizerPlace = "device" | "host";

/** AdamW (Loshchilov and Hutter 2019), with Muon for the matrices of layers if set. */
export class AdamW {
  readonly #kernels: Kernels;
  readonly #host: HostMoments | null;
  #moments: ReadonlyMap<string, AdamWMoments> = new Map();
  #step = 0;

  constructor(kernels: Kernels, place: OptimizerPlace = "device") {
    this.#kernels = kernels;
    this.#host = place === "host" ? new HostMoments(kernels) : null;
  }

  get steps(): number {
    return this.#step;
  }

  /** A non-finite norm changes nothing; parameters without a gradient are skipped. */
  async step(
    model: ModelOnDevice,
    gradients: ReadonlyMap<string, Tensor>,
    settings: OptimizerSettings,
  ): Promise<OptimizerResult> {
    const kernels = this.#kernels;
    if (gradients.size === 0) return { gradNorm: 0, applied: false, step: this.#step };
    const trained = trainable(model);
    // First, so that running out of memory leaves the model intact.
    const fresh = this.#isEmpty;
    if (fresh) await this.#allocate(trained);
    const squares = kernels.sumSquares([...gradients.values()]);
    const tensorsOf = (name: string, moments: AdamWMoments): Updated => {
      const [param, grad] = [trained.get(name)!, gradients.get(name)!];
      return { tensors: { ...moments, param, grad }, isMuon: name.includes("layers.") && param.shape.length === 2 };
    };
    const step = { settings, step: this.#step + 1, squares };
    const norm = async (): Promise<number> => Math.sqrt((await kernels.read(squares))[0]!);
    let gradNorm: number;
    if (this.#host) {
      gradNorm = await norm();
      // The largest comes first, so that running out of memory leaves the model intact.
      const sizes = [...gradients].toSorted(([, a], [, b]) => sizeOf(b.shape) - sizeOf(a.shape));
      for (const [name] of Number.isFinite(gradNorm) ? sizes : [])
        await this.#host.lend(name, async (moments) => {
          const updated = [tensorsOf(name, moments)];
          byAdamW(kernels, updated, step);
          await byMuon(kernels, updated, settings);
        });
    } else {
      const updated = Array.from(gradients.keys(), (name) => tensorsOf(name, this.#moments.get(name)!));
      // The device skips a non-finite update by itself.
      byAdamW(kernels, updated, step);
      gradNorm = await norm();
      if (Number.isFinite(gradNorm)) await byMuon(kernels, updated, settings);
    }
    kernels.free(squares);
    const applied = Number.isFinite(gradNorm);
    if (applied) this.#step += 1;
    else if (fresh) this.free();
    return { gradNorm, applied, step: this.#step };
  }

  /** A stored part of the state, from element `start` of a device tensor; null without it. */
  source(name: string, kind: keyof AdamWMoments, start: number, shape: readonly number[]): TensorSource | null {
    if (this.#host) return this.#host.source(name, kind, start, shape);
    const tensor = this.#moments.get(name)?.[kind];
    return tensor ? { shape, read: () => readPart(this.#kernels, tensor, start, shape) } : null;
  }

  /** Makes master weights from `weights` if needed. */
  async restore(
    model: ModelOnDevice,
    steps: number,
    moments: ReadonlyMap<string, StoredMoments>,
    weights: ReadonlyMap<string, TensorSource>,
  ): Promise<void> {
    this.free();
    this.#step = steps;
    if (moments.size === 0) return;
    await this.#allocate(trainable(model));
    for (const kind of ["first", "second"] as const)
      await this.#write(kind, new Map(Array.from(moments, ([name, stored]) => [name, stored[kind]])));
    if (roundsWeights(this.#kernels.dtype)) await this.#write("master", weights);
  }

  free(): void {
    this.#host?.clear();
    for (const { first, second, master } of this.#moments.values())
      this.#kernels.free(first, second, ...(master ? [master] : []));
    this.#moments = new Map();
  }

  get #isEmpty(): boolean {
    return (this.#host ?? this.#moments).size === 0;
  }

  async #write(kind: keyof AdamWMoments, sources: ReadonlyMap<string, TensorSource>): Promise<void> {
    if (this.#host)
      for (const [name, { parts }] of heldTensors(shapesOf(sources)))
        await this.#host.write(
          name,
          kind,
          parts.map((part) => sources.get(part.name)!),
        );
    else {
      const tensors = new Map(Array.from(this.#moments, ([name, moments]) => [name, moments[kind]!]));
      await writeSources(this.#kernels, tensors, sources);
    }
  }

  async #allocate(trained: ReadonlyMap<string, Tensor>): Promise<void> {
    const kernels = this.#kernels;
    const hasMaster = roundsWeights(kernels.dtype);
    if (this.#host) {
      await this.#host.allocate(trained, hasMaster);
      return;
    }
    const made: Map<string, Tensor>[] = [];
    try {
      made.push(allocateTogether(kernels, shapesOf(trained), "full"));
      made.push(allocateTogether(kernels, shapesOf(trained), "full"));
      if (hasMaster) made.push(copyTogether(kernels, trained, "full"));
    } catch (error) {
      for (const tensors of made) kernels.free(...tensors.values());
      throw error;
    }
    const [first, second, masters] = made as [Map<string, Tensor>, Map<string, Tensor>, Map<string, Tensor>?];
    this.#moments = new Map(
      Array.from(trained.keys(), (name) => {
        const master = masters?.get(name);
        const moments = { first: first.get(name)!, second: second.get(name)! };
        return [name, { ...moments, ...(master && { master }) }];
      }),
    );
  }
}

interface Updated {
  readonly tensors: AdamWTensors;
  readonly isMuon: boolean;
}

/** Norms and biases do not decay. */
function byAdamW(
  kernels: Kernels,
  updated: readonly Updated[],
  {
    settings,
    step,
    squares,
  }: { readonly settings: OptimizerSettings; readonly step: number; readonly squares: Tensor },
): void {
  const { muon, weightDecay, maxGradNorm: maxNorm, ...rates } = settings;
  const decays = ({ param }: AdamWTensors): boolean => weightDecay !== 0 && param.shape.length >= 2;
  for (const isDecaying of [true, false]) {
    const part = updated
      .filter(({ isMuon, tensors }) => !(isMuon && muon !== undefined) && decays(tensors) === isDecaying)
      .map(({ tensors }) => tensors);
    const decay = isDecaying ? weightDecay : 0;
    if (part.length > 0) kernels.adamW(part, { ...rates, weightDecay: decay, step, clip: { squares, maxNorm } });
  }
}

async function byMuon(
  kernels: Kernels,
  updated: readonly Updated[],
  { muon, weightDecay }: OptimizerSettings,
): Promise<void> {
  if (muon === undefined) return;
  const tensors = updated.filter(({ isMuon }) => isMuon).map((update) => update.tensors);
  await muonStep(kernels, tensors, { learningRate: muon, weightDecay });
}

type Values = Float32Array | Float64Array;

interface HostTensors {
  readonly shape: readonly number[];
  readonly values: Partial<Record<keyof AdamWMoments, Values>>;
}

/** Optimizer state in the host's memory; the device holds that of one tensor at a time, during its update. */
class HostMoments {
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
    const tensors = kinds.map((kind) => kernels.upload(values[kind]!, shape, "full"));
    const moments = Object.fromEntries(kinds.map((kind, i) => [kind, tensors[i]])) as unknown as AdamWMoments;
    try {
      await update(moments);
      for (const [i, kind] of kinds.entries()) values[kind] = (await kernels.read(tensors[i]!)) as Values;
    } finally {
      kernels.free(...tensors);
    }
  }

  source(name: string, kind: keyof AdamWMoments, start: number, shape: readonly number[]): TensorSource | null {
    const values = this.#held.get(name)?.values[kind];
    return values ? { shape, read: async () => values.slice(start, start + sizeOf(shape)) } : null;
  }

  async write(name: string, kind: keyof AdamWMoments, parts: readonly TensorSource[]): Promise<void> {
    const read: Values[] = [];
    for (const part of parts) read.push(await part.read());
    const { values } = this.#tensors(name);
    values[kind]!.set(joinValues(read));
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
    return this.#held.get(name)!;
  }
}
