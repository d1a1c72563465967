import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/kernels-wasm";

/**
 * A checkpoint with random weights whose tokens are characters.
 * @param options - `pieces`: up to four texts that are a token each, so that it writes them by chance: a whole call of a tool
 */
export async function tinyChatModel(
  folder: string,
  { pieces = [], contextLength = 1024 }: { readonly pieces?: readonly string[]; readonly contextLength?: number } = {},
): Promise<void> {
  await mkdir(folder);
  const characters = ["\n", ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))];
  const added = [
    ...pieces.map((content, i) => ({ id: characters.length + i, content, special: false })),
    ...["<s>", "</s>"].map((content, i) => ({ id: 100 + i, content, special: true })),
  ];
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1, onWarning: () => undefined });
  const model = await engine.createModel({
    kind: "config",
    seed: 1,
    config: {
      model_type: "llama",
      architectures: ["LlamaForCausalLM"],
      vocab_size: 102,
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
      eos_token_id: 101,
    },
  });
  await model.save(folder);
  await engine.close();
  const tokenizer = {
    model: { type: "BPE", vocab: Object.fromEntries(characters.map((letter, id) => [letter, id])), merges: [] },
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: "Fuse" },
    added_tokens: added,
  };
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  const template = "{% for m in messages %}{{ '<s>' + m.content }}{% endfor %}<s>";
  const config = { eos_token: "</s>", chat_template: template };
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(config));
}
