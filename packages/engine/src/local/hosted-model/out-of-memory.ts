import { LaconicError, type TrainingSequence } from "@laconic/core";
import { forwardPassBytes, trainingPassBytes } from "../../memory/plan-memory.ts";
import type { ModelOnDevice } from "../../transformer/model-on-device.ts";
import type { Recompute } from "../../transformer/train-pass.ts";
import { isOutOfMemory } from "../../kernels/index.ts";
import { totalTokens } from "./micro-batches.ts";

/** How a pass ran. */
export interface PassOptions {
  /** Null for a forward pass without gradients. */
  readonly recompute: Recompute | null;
  readonly shared: boolean;
}

/** An out-of-memory error that says what did not fit and how large it is; other errors as they are. */
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
