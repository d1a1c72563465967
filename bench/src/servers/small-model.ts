import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/kernels-wasm";
import { root } from "../processes.ts";

const trainer = join(root, "bench/peers/train_tokenizer.py");

/** A checkpoint of one layer with random weights, which Hugging Face's libraries read too, and a byte-level tokenizer of these texts: how many tokens it has. */
export async function smallModel(
  folder: string,
  python: string,
  texts: readonly string[],
  vocabulary: number,
  chat: string = serverChat,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  const trained = spawnSync(python, [trainer, folder, String(vocabulary)], { input: texts.join("\n") });
  if (trained.status !== 0) throw new Error(`no tokenizer: ${trained.stderr.toString()}`);
  const tokens = Number(trained.stdout.toString());
  const settings = {
    tokenizer_class: "PreTrainedTokenizerFast",
    eos_token: "</s>",
    pad_token: "</s>",
    chat_template: chat,
    model_max_length: context,
  };
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(settings));
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1, onWarning: () => undefined });
  const model = await engine.createModel({
    kind: "config",
    seed: 1,
    config: {
      model_type: "llama",
      architectures: ["LlamaForCausalLM"],
      vocab_size: tokens,
      hidden_size: 16,
      num_hidden_layers: 1,
      num_attention_heads: 2,
      num_key_value_heads: 2,
      intermediate_size: 32,
      max_position_embeddings: context,
      rms_norm_eps: 1e-6,
      rope_theta: 10_000,
      hidden_act: "silu",
      tie_word_embeddings: true,
      initializer_range: 0.1,
      bos_token_id: null,
      eos_token_id: 1,
    },
  });
  await model.save(folder);
  await engine.close();
  return tokens;
}

const context = 65_536;

/** A line end at the very end of a template is not written: replies begin right behind the role. */
const serverChat = "{% for m in messages %}<s>{{ m.role + '\\n' + m.content }}</s>\n{% endfor %}<s>assistant\n";

/** As Qwen2.5 writes chats: a reply stands in a later prompt as it stood behind the one that asked for it. */
export const qwenChat =
  "{% for m in messages %}{{ '<s>' + m.role + '\\n' + m.content + '</s>\\n' }}{% endfor %}{{ '<s>assistant\\n' }}";
