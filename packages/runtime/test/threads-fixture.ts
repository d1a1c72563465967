import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalEngine } from "@laconic/engine";
import { mathsGrader } from "@laconic/grading";
import { wasmKernels } from "@laconic/engine/wasm";
import { loadTokenizer } from "@laconic/hub/tokenizers";

/** Run file that opens an engine, a grader and a tokenizer while it is read, each on a thread. */
const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
const { correct } = await mathsGrader().grade("The answer is 1/2.", "0.5");
const folder = await mkdtemp(join(tmpdir(), "laconic-threads-"));
const end = {
  id: 2,
  content: "</s>",
  special: true,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
};
const model = { type: "WordLevel", vocab: { a: 0, b: 1, "</s>": 2 }, unk_token: "a" };
const files = {
  "tokenizer.json": {
    version: "1.0",
    added_tokens: [end],
    decoder: null,
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    model,
  },
  "tokenizer_config.json": { eos_token: "</s>" },
};
for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
const tokenizer = await loadTokenizer(folder);
export const opened: readonly unknown[] = [engine.capabilities.device, correct, tokenizer.encode("b")];
await engine.close();
await rm(folder, { recursive: true });
