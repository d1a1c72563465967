/**
 * Sinks of a training run: TensorBoard event files and Weights & Biases offline runs.
 * @module @laconic/trainer/sinks
 */
export { tensorBoardSink, type TensorBoardOptions } from "./tensorboard.ts";
export { wandbSink, type WandbOptions } from "./wandb.ts";
export { secretsIn, clean as withoutSecrets } from "./redact.ts";
