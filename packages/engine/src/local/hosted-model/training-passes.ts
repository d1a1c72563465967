import { LaconicError } from "@laconic/core";
import { Dropout } from "../../transformer/dropout.ts";
import type { Gradients } from "../../transformer/gradients.ts";
import type { ModelOnDevice } from "../../transformer/model-on-device.ts";
import { gradientOfPredictions, packBatch, type PackedBatch } from "../../transformer/packed-batch.ts";
import { passBackward, passForward, type HeadPass } from "../../transformer/train-pass.ts";
import { isOutOfMemory, tensorsIn } from "../../kernels/index.ts";
import type { HostOutputs, HostSettings } from "./model-types.ts";
import { halve, rowsTogether, type MicroBatch } from "./micro-batches.ts";
import { explainOutOfMemory, outputsInHalves, readOutputs } from "./outputs.ts";

/** Steps seed dropout. */
export interface LiveModel {
  readonly live: ModelOnDevice;
  readonly steps: number;
}

interface TrainingPassesOptions extends Pick<HostSettings, "recompute" | "sharePrefixes"> {
  readonly dropoutSeed: string;
  readonly gradients: Gradients;
  state(): LiveModel;
}

interface PendingPass extends MicroBatch {
  readonly pass: HeadPass;
}

/** Forward and backward passes of one model, one pair at a time. */
export class TrainingPasses {
  readonly #options: TrainingPassesOptions;
  #pending: PendingPass | null = null;
  /** `backward` repeats it in parts. */
  #unfit: { readonly micro: MicroBatch; readonly reason: unknown } | null = null;

  constructor(options: TrainingPassesOptions) {
    this.#options = options;
  }

  /** Keeps activations if they fit. @throws LaconicError `device_out_of_memory` for one sequence */
  async forward(micro: MicroBatch): Promise<HostOutputs> {
    this.drop();
    const { live } = this.#options.state();
    try {
      this.#pending = this.#forward(micro);
    } catch (reason) {
      const dropout = (batch: PackedBatch, numbers: readonly number[]): Dropout | undefined =>
        this.#dropout(batch, numbers);
      const outputs = await outputsInHalves(live, micro, { shared: this.#options.sharePrefixes, dropout }, reason);
      this.#unfit = { micro, reason };
      return outputs;
    }
    return readOutputs(live.kernels, this.#pending.pass);
  }

  /**
   * Repeats the micro-batch in parts if memory runs out.
   * @returns tokens of the largest part; null if all fitted
   */
  backward(dOutputs: Float64Array): number | null {
    const unfit = this.#unfit;
    this.#unfit = null;
    if (unfit) return this.#inParts(unfit.micro, dOutputs, 0, unfit.reason);
    if (!this.#pending) throw new LaconicError("engine_failed", "backward was called without a forward pass");
    return this.#backward(this.#pending, dOutputs, 0);
  }

  drop(): void {
    if (this.#pending) this.#options.state().live.kernels.free(...tensorsIn(this.#pending.pass));
    this.#pending = null;
    this.#unfit = null;
  }

  #forward(micro: MicroBatch): PendingPass {
    const { live } = this.#options.state();
    const { kernels } = live;
    try {
      const pass = kernels.scope(() => {
        const width = live.config.hiddenSize;
        const batch = packBatch(kernels, micro.sequences, { shared: this.#options.sharePrefixes, width });
        return passForward(live, batch, this.#options.recompute, this.#dropout(batch, micro.numbers));
      });
      return { ...micro, pass };
    } catch (error) {
      throw this.#explained(error, micro);
    }
  }

  #backward(pending: PendingPass, dLogProbs: Float64Array, leaveOut: number): number | null {
    const { live } = this.#options.state();
    const { kernels } = live;
    this.#pending = pending;
    this.#options.gradients.startPass(leaveOut);
    try {
      kernels.scope(() => {
        const d = gradientOfPredictions(kernels, pending.pass.batch, dLogProbs);
        passBackward(live, pending.pass, d, this.#options.gradients);
      });
      return null;
    } catch (error) {
      const explained = this.#explained(error, pending);
      this.drop();
      return this.#inParts(pending, dLogProbs, this.#options.gradients.added, explained);
    } finally {
      this.drop();
    }
  }

  #inParts(micro: MicroBatch, dLogProbs: Float64Array, leaveOut: number, reason: unknown): number {
    const halves = isOutOfMemory(reason) ? halve(micro, this.#options.sharePrefixes) : null;
    if (!halves) throw reason;
    let largest = 0;
    let start = 0;
    for (const part of halves) {
      const end = start + part.sequences.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0);
      const d = dLogProbs.subarray(start, end);
      start = end;
      if (d.length === 0) continue;
      largest = Math.max(largest, this.#part(part, d, leaveOut));
    }
    return largest;
  }

  #part(part: MicroBatch, dLogProbs: Float64Array, leaveOut: number): number {
    let pending: PendingPass;
    try {
      pending = this.#forward(part);
    } catch (error) {
      return this.#inParts(part, dLogProbs, leaveOut, error);
    }
    return this.#backward(pending, dLogProbs, leaveOut) ?? rowsTogether(part.sequences, this.#options.sharePrefixes);
  }

  #explained(error: unknown, { sequences }: MicroBatch): unknown {
    const options = { recompute: this.#options.recompute, shared: this.#options.sharePrefixes };
    return explainOutOfMemory(error, this.#options.state().live, sequences, options);
  }

  #dropout(batch: PackedBatch, numbers: readonly number[]): Dropout | undefined {
    const { live, steps: step } = this.#options.state();
    const rate = live.trainsHeadAlone ? 0 : (live.adapter?.settings.dropout ?? 0);
    const seed = this.#options.dropoutSeed;
    return rate === 0
      ? undefined
      : new Dropout({ rate, seed, step, batch, numbers: this.#options.sharePrefixes ? null : numbers });
  }
}
