import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { saveTinyLlama } from "../../../test/tiny-llama.ts";

/**
 * Checkpoint with random weights and character tokens.
 * @param options - `pieces`: up to four texts that are single tokens, such as a tool call
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
  await saveTinyLlama(folder, { vocabulary: 102, contextLength, endToken: 101 });
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
