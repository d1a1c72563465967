/**
 * Sinks of a training run: TensorBoard event files and Weights & Biases offline runs.
 * @module @laconic/trainer/sinks
 */
export { tensorBoardSink } from "./tensorboard.ts";
export type { TensorBoardOptions } from "./tensorboard.ts";
export { wandbSink } from "./wandb.ts";
export type { WandbOptions } from "./wandb.ts";
export { secretsIn, withoutSecrets } from "./redact.ts";
