import { randomFromSeed, thrownText } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import type { CreateKernels, Kernels, KernelSource } from "@laconic/engine/kernels";

/** Whether a device works, and its library and version or what is missing. */
export interface DeviceOutcome {
  readonly works: boolean;
  readonly detail: string;
  /** A GPU that is a program on the processor; absent for all others. */
  readonly emulated?: boolean;
}

/** Operators that the processor computed while a reply was sampled, as `; aten::sort (12 calls)` each. */
async function fallbacksIn(kernels: Kernels): Promise<string> {
  if (!kernels.fallbacks) return "";
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config: tinyModel, seed: "try" });
  await model.sample([
    {
      promptTokens: [1, 2, 3],
      sampling: { temperature: 1, topK: 8, topP: 0.9, maxTokens: 4 },
      stopTokens: [],
      random: randomFromSeed(1).state(),
    },
  ]);
  const counts = Object.entries(kernels.fallbacks());
  await model.dispose();
  const calls = counts.map(([name, count]) => `${name} (${count} calls)`);
  return calls.length === 0 ? "; every operator of a reply on the device" : `; on the processor: ${calls.join(", ")}`;
}

const tinyModel = {
  architectures: ["Qwen2ForCausalLM"],
  model_type: "qwen2",
  vocab_size: 32,
  hidden_size: 16,
  intermediate_size: 32,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 16,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  initializer_range: 0.02,
};

/** Starts a device in this process and multiplies two numbers on it. A library that crashes takes the process along. */
export async function tryDevice({ module, options }: KernelSource): Promise<DeviceOutcome> {
  try {
    const { createKernels } = (await import(module)) as { createKernels: CreateKernels };
    const kernels = await createKernels(options);
    try {
      const [two, three] = [2, 3].map((value) => kernels.upload(Float32Array.of(value), [1, 1])) as [never, never];
      const works = (await kernels.read(kernels.linear(two, three)))[0] === 6;
      return {
        works,
        detail: works ? kernels.backend + (await fallbacksIn(kernels)) : `${kernels.backend}: 2 x 3 came out wrong`,
        ...(kernels.emulated === true && { emulated: true }),
      };
    } finally {
      kernels.dispose();
    }
  } catch (error) {
    return { works: false, detail: thrownText(error) };
  }
}
