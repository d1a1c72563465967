/**
 * Decoder-only transformer that trains and samples on worker threads, with interchangeable kernel sets.
 * @module @laconic/engine
 */
export { createInlineEngine, createLocalEngine, type LocalEngineOptions } from "./local/local-engine.ts";
export { serveEngine, type ServeEngineOptions } from "./local/host/serve-engine.ts";
export type { WebWorker } from "./local/host/worker-host.ts";
export { localPolicy, repeatableBatching, type Batching } from "./local/local-policy.ts";

export type { Family, LayerNorms, NormPlace, QkNorm, Scales } from "./transformer/families.ts";
export { parseModelConfig, type ModelConfig } from "./transformer/model-config.ts";
export type { Rotation } from "./transformer/rotation.ts";
export { convertLlama2c } from "./weights/llama2c.ts";
export { readJsonFile } from "./weights/model-folder.ts";
export { elementCount, parameterShapes } from "./transformer/parameters.ts";
export { prefixForest, type PrefixForest } from "./transformer/prefix-forest.ts";
export type { OptimizerPlace } from "./optimizer/adamw.ts";
export type { Recompute } from "./transformer/train-pass.ts";

export { decodeSafetensors, encodeSafetensors } from "./weights/safetensors.ts";
export type { SafetensorsFile, StoredTensor } from "./weights/safetensors.ts";

export { adapterShapes } from "./lora/lora-settings.ts";
export { measurePasses, type PassSeconds } from "./memory/measure-passes.ts";
export { keyValueCacheBytes } from "./generation/cache-bytes.ts";
export { forwardPassBytes, largestBatches, planMemory } from "./memory/plan-memory.ts";
export type { LargestBatches, MemoryPlan, MemorySettings } from "./memory/plan-memory.ts";
export { rowsOf, sequencesWithin, type SequenceLengths } from "./memory/blank-model.ts";
