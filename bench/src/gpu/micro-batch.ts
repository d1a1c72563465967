import type { ModelConfig, Recompute } from "@laconic/engine";
import type { Kernels } from "@laconic/engine/kernels";

/** One group that trains together. */
export interface MicroBatch {
  readonly replies: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Whether tokens that replies begin with alike are computed once. */
  readonly sharePrefixes: boolean;
  readonly recompute: Recompute;
}

const engine = import.meta.resolve("@laconic/engine");
const from = async <T>(path: string): Promise<T> => (await import(new URL(path, engine).href)) as T;
const { blankModel, blankSequences } =
  await from<typeof import("../../../packages/engine/src/memory/blank-model.ts")>("./memory/blank-model.ts");
const { Gradients } =
  await from<typeof import("../../../packages/engine/src/transformer/gradients.ts")>("./transformer/gradients.ts");
const { packBatch } = await from<typeof import("../../../packages/engine/src/transformer/packed-batch.ts")>(
  "./transformer/packed-batch.ts",
);
const { trainBackward, trainForward } =
  await from<typeof import("../../../packages/engine/src/transformer/train-pass.ts")>("./transformer/train-pass.ts");

/** The passes of a model of zeros; each call adds to the gradients of those before. */
export function microBatch(kernels: Kernels, config: ModelConfig, batch: MicroBatch): () => void {
  const model = blankModel(kernels, config, null);
  const gradients = new Gradients(kernels);
  const sequences = blankSequences({ ...batch, repliesPerPrompt: batch.replies }, batch.replies, config.vocabularySize);
  return () =>
    kernels.scope(() => {
      gradients.startPass();
      const packed = packBatch(kernels, sequences, { shared: batch.sharePrefixes });
      const pass = trainForward(model, packed, batch.recompute);
      const predictions = packed.predicted.length;
      const d = kernels.upload(new Float64Array(predictions).fill(1), [predictions], "full");
      trainBackward(model, pass, d, gradients);
    });
}
