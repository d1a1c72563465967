import { LaconicError, type TrainingSequence } from "@laconic/core";
import { Dropout } from "../../transformer/dropout.ts";
import type { Gradients } from "../../transformer/gradients.ts";
import type { ModelOnDevice } from "../../transformer/model-on-device.ts";
import { gradientOfPredictions, packBatch, type PackedBatch } from "../../transformer/packed-batch.ts";
import type { Recompute } from "../../transformer/train-pass.ts";
import { passBackward, passForward, type HeadPass } from "../../transformer/value-pass.ts";
import { isOutOfMemory, type Kernels, tensorsIn } from "../../kernels/index.ts";
import { halve, rowsTogether, totalTokens } from "./micro-batches.ts";
import { forwardPassBytes, trainingPassBytes } from "../../memory/plan-memory.ts";

export interface MicroBatch {
  readonly sequences: readonly TrainingSequence[];
  /** Sequence numbers since the last optimizer step. */
  readonly numbers: readonly number[];
}

/** Current model, and steps that seed dropout. */
export interface LiveModel {
  readonly live: ModelOnDevice;
  readonly steps: number;
}

interface PendingPass extends MicroBatch {
  readonly pass: HeadPass;
}

/** Forward and backward passes of one model, one pair at a time. */
export class TrainingPasses {
  readonly #recompute: Recompute;
  readonly #sharePrefixes: boolean;
  readonly #dropoutSeed: string;
  readonly #gradients: Gradients;
  readonly #state: () => LiveModel;
  #pending: PendingPass | null = null;

  constructor(options: {
    readonly recompute: Recompute;
    readonly sharePrefixes: boolean;
    readonly dropoutSeed: string;
    readonly gradients: Gradients;
    state(): LiveModel;
  }) {
    this.#recompute = options.recompute;
    this.#sharePrefixes = options.sharePrefixes;
    this.#dropoutSeed = options.dropoutSeed;
    this.#gradients = options.gradients;
    this.#state = () => options.state();
  }

  /** Keeps the activations for `backward`. @throws LaconicError `device_out_of_memory`: nothing is kept */
  forward(micro: MicroBatch): HeadPass {
    this.drop();
    this.#pending = this.#forward(micro);
    return this.#pending.pass;
  }

  /**
   * Repeats the micro-batch in smaller parts if the device runs out of memory.
   * @returns the tokens of the largest part that fitted; null if all did
   */
  backward(dOutputs: Float64Array): number | null {
    if (!this.#pending) throw new LaconicError("engine_failed", "backward was called without a forward pass");
    return this.#backward(this.#pending, dOutputs, 0);
  }

  drop(): void {
    if (this.#pending) freeTree(this.#state().live.kernels, this.#pending.pass);
    this.#pending = null;
  }

  get #passOptions(): PassOptions {
    return { recompute: this.#recompute, shared: this.#sharePrefixes };
  }

  #forward(micro: MicroBatch): PendingPass {
    const { live } = this.#state();
    const { kernels } = live;
    try {
      const pass = kernels.scope(() => {
        const width = live.config.hiddenSize;
        const batch = packBatch(kernels, micro.sequences, { shared: this.#sharePrefixes, width });
        return passForward(live, batch, this.#recompute, this.#dropout(batch, micro.numbers));
      });
      return { ...micro, pass };
    } catch (error) {
      throw explainOutOfMemory(error, live, micro.sequences, this.#passOptions);
    }
  }

  #backward(pending: PendingPass, dLogProbs: Float64Array, leaveOut: number): number | null {
    const { live } = this.#state();
    const { kernels } = live;
    this.#pending = pending;
    this.#gradients.startPass(leaveOut);
    try {
      kernels.scope(() => {
        const d = gradientOfPredictions(kernels, pending.pass.batch, dLogProbs);
        passBackward(live, pending.pass, d, this.#gradients);
      });
      return null;
    } catch (error) {
      const known = explainOutOfMemory(error, live, pending.sequences, this.#passOptions);
      this.drop();
      return this.#inParts(pending, dLogProbs, this.#gradients.added, known);
    } finally {
      this.drop();
    }
  }

  /** Trains on halves, which may be halved again. */
  #inParts(micro: MicroBatch, dLogProbs: Float64Array, leaveOut: number, reason: unknown): number {
    const halves = isOutOfMemory(reason) ? halve(micro.sequences, this.#sharePrefixes) : null;
    if (!halves) throw reason;
    let largest = 0;
    let start = 0;
    for (const rows of halves) {
      const part = {
        sequences: rows.map((row) => micro.sequences[row] as TrainingSequence),
        numbers: rows.map((row) => micro.numbers[row] as number),
      };
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
    return this.#backward(pending, dLogProbs, leaveOut) ?? rowsTogether(part.sequences, this.#sharePrefixes);
  }

  #dropout(batch: PackedBatch, numbers: readonly number[]): Dropout | undefined {
    const { live, steps: step } = this.#state();
    const rate = live.trainsHeadAlone ? 0 : (live.adapter?.settings.dropout ?? 0);
    const seed = this.#dropoutSeed;
    return rate === 0
      ? undefined
      : new Dropout({ rate, seed, step, batch, numbers: this.#sharePrefixes ? null : numbers });
  }
}

function freeTree(kernels: Kernels, value: unknown): void {
  kernels.free(...tensorsIn(value));
}

interface PassOptions {
  /** Null without gradients. */
  readonly recompute: Recompute | null;
  readonly shared: boolean;
}

/** Adds the size of the failed pass to an out-of-memory error; keeps other errors. */
export function explainOutOfMemory(
  error: unknown,
  { config, adapter, kernels }: ModelOnDevice,
  sequences: readonly TrainingSequence[],
  { recompute, shared }: PassOptions,
): unknown {
  if (!isOutOfMemory(error)) return error;
  const shape = { dtype: kernels.dtype, lora: adapter?.settings ?? null, shared };
  const bytes = recompute
    ? trainingPassBytes(config, { ...shape, recompute }, sequences)
    : forwardPassBytes(config, shape, sequences);
  const tokens = totalTokens(sequences);
  const what = sequences.length === 1 ? "a sequence" : `${sequences.length} sequences`;
  const advice = recompute === "none" ? `set recompute to "layer", ` : "";
  return new LaconicError(
    "device_out_of_memory",
    `${what} of ${tokens} tokens needs ${bytes} bytes for a ${recompute ? "training" : "forward"} pass, more than the device has left; ${advice}shorten the replies, or take a smaller model (${error.message})`,
    { tokens, bytes, sequences: sequences.length },
    error,
  );
}
