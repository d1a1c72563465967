import { createLocalEngine } from "../packages/engine/src/index.ts";
import { wasmKernels } from "../packages/engine/src/wasm/index.ts";

export async function saveTinyLlama(
  folder: string,
  { vocabulary, contextLength, endToken }: Readonly<Record<"vocabulary" | "contextLength" | "endToken", number>>,
): Promise<void> {
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1, onWarning: () => undefined });
  const model = await engine.createModel({
    kind: "config",
    seed: 1,
    config: {
      model_type: "llama",
      architectures: ["LlamaForCausalLM"],
      vocab_size: vocabulary,
      hidden_size: 16,
      num_hidden_layers: 1,
      num_attention_heads: 2,
      num_key_value_heads: 2,
      intermediate_size: 32,
      max_position_embeddings: contextLength,
      rms_norm_eps: 1e-6,
      rope_theta: 10_000,
      hidden_act: "silu",
      tie_word_embeddings: true,
      initializer_range: 0.1,
      bos_token_id: null,
      eos_token_id: endToken,
    },
  });
  await model.save(folder);
  await engine.close();
}
