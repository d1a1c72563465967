import type { GradientPlace, Kernels, Tensor } from "../kernels/index.ts";
import { normWeight, trainable, type ModelOnDevice } from "./model-on-device.ts";
import { allocateTogether, shapesOf } from "./weight-layout.ts";

/**
 * Accumulates d loss / d parameter by name over layers, tied uses and micro-batches. Operations write in place if
 * possible.
 */
export class Gradients {
  readonly #kernels: Kernels;
  readonly #byName = new Map<string, Tensor>();
  #room: ReadonlyMap<string, Tensor> = new Map();
  #added = 0;
  #leaveOut = 0;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  get byName(): ReadonlyMap<string, Tensor> {
    return this.#byName;
  }

  /** Starts a backward pass. The order is fixed, so a repeated pass can skip what an interrupted one added. */
  startPass(leaveOut = 0): void {
    this.#added = 0;
    this.#leaveOut = leaveOut;
  }

  get added(): number {
    return Math.max(this.#added, this.#leaveOut);
  }

  add(model: ModelOnDevice, name: string, delta: Tensor): void {
    const slot = this.#place(model, name);
    this.#settle(name, slot, delta);
  }

  /** Calls `make` unless the gradient was added before. */
  write(model: ModelOnDevice, name: string, make: (target: GradientPlace) => void): void {
    const slot = this.#place(model, name);
    if (slot) make(slot);
    this.#settle(name, slot, null);
  }

  /** Backward of `headLogProbs`; returns d loss / d hidden. */
  head(
    model: ModelOnDevice,
    name: string,
    dLogProbs: Tensor,
    forward: Parameters<Kernels["headLogProbsBackward"]>[1],
  ): Tensor {
    const trained = model.adapter === null;
    const slot = trained ? this.#place(model, name) : null;
    const { dHidden, dWeight } = this.#kernels.headLogProbsBackward(
      dLogProbs,
      forward,
      { weight: slot !== null },
      { ...(slot && { dWeight: slot }) },
    );
    if (trained) this.#settle(name, slot, dWeight);
    return dHidden;
  }

  /** Backward of `linear`; returns d loss / d x. @param bias - name or null */
  linear(model: ModelOnDevice, weight: Named, bias: string | null, dOut: Tensor, x: Tensor): Tensor {
    const [ofWeight, ofBias] = [this.#place(model, weight.name), bias === null ? null : this.#place(model, bias, 1)];
    const { dX, dWeight, dBias } = this.#kernels.linearBackward(
      dOut,
      x,
      weight.tensor,
      { input: true, weight: ofWeight !== null, bias: ofBias !== null },
      { ...(ofWeight && { dWeight: ofWeight }), ...(ofBias && { dBias: ofBias }) },
    );
    this.#settle(weight.name, ofWeight, dWeight);
    if (bias !== null) this.#settle(bias, ofBias, dBias);
    return dX!;
  }

  /** Backward of `rmsNorm`; returns d loss / d x, added to `onto`. */
  rmsNorm(
    model: ModelOnDevice,
    name: string,
    { dOut, x, invRms }: Readonly<Record<"dOut" | "x" | "invRms", Tensor>>,
    onto: Tensor | null = null,
  ): Tensor {
    const slot = model.adapter === null ? this.#place(model, name) : null;
    const { dX, dWeight } = this.#kernels.rmsNormBackward(dOut, x, normWeight(model, name), invRms);
    const sum = onto === null ? dX : this.#kernels.add(onto, dX);
    if (model.adapter === null) this.#settle(name, slot, dWeight);
    return sum;
  }

  clear(): void {
    this.#kernels.free(...this.#room.values());
    this.#room = new Map();
    this.#byName.clear();
  }

  /** Null if added before. @param ahead - earlier, unsettled gradients */
  #place(model: ModelOnDevice, name: string, ahead = 0): GradientPlace | null {
    if (this.#added + ahead < this.#leaveOut) return null;
    if (this.#room.size === 0) this.#room = allocateTogether(this.#kernels, shapesOf(trainable(model)), "full");
    return { tensor: this.#room.get(name)!, add: this.#byName.has(name) };
  }

  #settle(name: string, slot: GradientPlace | null, returned: Tensor | null | undefined): void {
    if (slot) {
      if (returned && slot.add) this.#kernels.accumulate(slot.tensor, returned);
      else if (returned) this.#kernels.assign([slot.tensor], [returned]);
      this.#byName.set(name, slot.tensor);
    }
    this.#added += 1;
  }
}

export interface Named {
  readonly name: string;
  readonly tensor: Tensor;
}
