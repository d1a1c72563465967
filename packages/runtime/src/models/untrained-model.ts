import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolderOnce } from "@laconic/core/platform";

/** The name of a small model that has learned nothing. */
export const untrainedModel = "untrained";

/** Of what is made here: a change makes a model of another name in the cache. */
const version = 1;

const roles = ["system", "user", "assistant", "tool"].map((role) => `<|${role}|>`);
const endToken = "<|end|>";
const controls = [...roles, endToken];

/** Every byte as a character that is visible, as byte-level tokenizers write it: those that are visible as they are, the others from 256 on. */
const bytes: readonly string[] = (() => {
  let next = 256;
  const isVisible = (byte: number): boolean => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173 && byte < 256);
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isVisible(byte) ? byte : next++));
})();

const tokenizer = {
  model: { type: "BPE", vocab: Object.fromEntries(bytes.map((byte, id) => [byte, id])), merges: [] },
  normalizer: null,
  pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
  post_processor: null,
  decoder: { type: "ByteLevel" },
  added_tokens: controls.map((content, i) => ({
    id: bytes.length + i,
    content,
    special: true,
    normalized: false,
    single_word: false,
    lstrip: false,
    rstrip: false,
  })),
};

const tokenizerConfig = {
  eos_token: endToken,
  chat_template: `{% for m in messages %}{{ '<|' + m.role + '|>' + m.content + '${endToken}' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}`,
};

const vocabulary = bytes.length + controls.length;

const config = {
  model_type: "llama",
  architectures: ["LlamaForCausalLM"],
  vocab_size: vocabulary,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 4,
  intermediate_size: 128,
  max_position_embeddings: 512,
  rms_norm_eps: 1e-6,
  rope_theta: 10_000,
  hidden_act: "silu",
  tie_word_embeddings: true,
  initializer_range: 0.1,
  bos_token_id: null,
  eos_token_id: vocabulary - 1,
};

/**
 * A model of a tenth of a million random weights that reads and writes bytes, and takes turns by a chat template: where a warm start on
 * examples begins when nothing is to be downloaded. Made once, always the same.
 * @param into - folder of what is made once
 */
export async function untrainedFolder(into: string): Promise<string> {
  const target = join(into, `untrained-${version}`);
  if (existsSync(target)) return target;
  await makeFolderOnce(target, (draft) => writeModel(draft));
  return target;
}

async function writeModel(folder: string): Promise<void> {
  const [{ createLocalEngine }, { wasmKernels }] = await Promise.all([
    import("@laconic/engine"),
    import("@laconic/engine/wasm"),
  ]);
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1, onWarning: () => undefined });
  try {
    const model = await engine.createModel({ kind: "config", config, seed: version });
    await model.save(folder);
  } finally {
    await engine.close();
  }
  await rm(join(folder, "optimizer.safetensors"), { force: true });
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(tokenizerConfig));
}
