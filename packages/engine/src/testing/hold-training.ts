import type { Kernels, Tensor } from "../kernels/index.ts";
import { AdamW } from "../optimizer/adamw.ts";
import { Gradients } from "../transformer/gradients.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { freeModel, trainable } from "../transformer/model-on-device.ts";
import { packBatch } from "../transformer/packed-batch.ts";
import { passBackward, passForward } from "../transformer/train-pass.ts";
import { blankModel, blankSequences } from "../memory/blank-model.ts";
import { optimizer as optimizerSettings } from "./cases/engine-case.ts";
import type { MemorySettings } from "../memory/plan-memory.ts";

/** Runs two updates on a zero model, allocating the memory that {@link planMemory} plans, then frees it. */
export async function holdTraining(
  kernels: Kernels,
  config: ModelConfig,
  settings: Omit<MemorySettings, "rollouts">,
): Promise<void> {
  const model = blankModel(kernels, config, settings.lora);
  const copies: Tensor[] = [];
  for (let copy = 0; copy < settings.snapshots; copy++)
    for (const tensor of trainable(model).values()) copies.push(kernels.keep(kernels.copy(tensor)));
  const gradients = new Gradients(kernels);
  const optimizer = new AdamW(kernels);
  const sequences = blankSequences(settings, settings.microBatch, config.vocabularySize);
  for (let update = 0; update < 2; update++) {
    kernels.scope(() => {
      const pass = passForward(model, packBatch(kernels, sequences), settings.recompute);
      const predictions = pass.batch.predicted.length;
      passBackward(model, pass, kernels.upload(new Float64Array(predictions), [predictions], "full"), gradients);
    });
    await optimizer.step(model, gradients.byName, optimizerSettings);
    gradients.clear();
  }
  optimizer.free();
  kernels.free(...copies);
  freeModel(model);
  if (model.adapter) kernels.free(...model.adapter.matrices.values());
}
