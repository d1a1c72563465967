/**
 * Where a training run's metrics go: TensorBoard, Weights & Biases, trackio and MLflow, without their packages.
 * @module @laconic/sinks
 */
export { tensorBoardSink } from "./tensorboard.ts";
export type { TensorBoardOptions } from "./tensorboard.ts";
export { wandbSink } from "./wandb.ts";
export type { WandbOptions } from "./wandb.ts";
export { trackioSink } from "./trackio.ts";
export type { TrackioOptions } from "./trackio.ts";
export { mlflowSink } from "./mlflow.ts";
export type { MlflowOptions } from "./mlflow.ts";
export { secretsIn, withoutSecrets } from "./redact.ts";
