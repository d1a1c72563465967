import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { saveTinyLlama } from "../../../test/tiny-llama.ts";
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
  await saveTinyLlama(folder, { vocabulary: tokens, contextLength: context, endToken: 1 });
  return tokens;
}

const context = 65_536;

/** A line end at the very end of a template is not written: replies begin right behind the role. */
const serverChat = "{% for m in messages %}<s>{{ m.role + '\\n' + m.content }}</s>\n{% endfor %}<s>assistant\n";

/** As Qwen2.5 writes chats: a reply stands in a later prompt as it stood behind the one that asked for it. */
export const qwenChat =
  "{% for m in messages %}{{ '<s>' + m.role + '\\n' + m.content + '</s>\\n' }}{% endfor %}{{ '<s>assistant\\n' }}";
