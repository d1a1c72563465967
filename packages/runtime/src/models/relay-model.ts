import { relayTokenizer } from "@laconic/tasks";
import type { ModelSource } from "@laconic/core";

/** The warm-started policy that ships with the app, by relay level. Made by `laconic relay warm-start`. */
export const shippedCheckpoint: URL = new URL("../../assets/relay-one-fact/", import.meta.url);

/** A Llama-type decoder of 0.1 M parameters: small enough to train in minutes on two cores. */
function relayModelConfig(): Readonly<Record<string, unknown>> {
  return {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    vocab_size: relayTokenizer.vocabularySize,
    hidden_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    intermediate_size: 192,
    max_position_embeddings: 256,
    rms_norm_eps: 1e-6,
    rope_theta: 10000,
    hidden_act: "silu",
    tie_word_embeddings: true,
    initializer_range: 0.1,
    bos_token_id: null,
    eos_token_id: relayTokenizer.endToken,
  };
}

/** An untrained model of that shape. */
export function freshRelayModel(seed: string | number): ModelSource {
  return { kind: "config", config: relayModelConfig(), seed };
}
