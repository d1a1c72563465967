import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLocalEngine } from "@laconic/engine";
import { conformanceConfig } from "@laconic/engine/testing";
import { wasmKernels } from "@laconic/kernels-wasm";
import { shipped } from "../processes.ts";

/** What a server reads and our own configurations leave to their defaults. */
const missing = {
  architectures: ["LlamaForCausalLM"],
  hidden_act: "silu",
  rope_theta: 10_000,
  bos_token_id: null,
  dtype: "float32",
};

/** Writes the base models that the checks want: `small` of the engines' suite, and `relay`, which the quickstart ships. */
export async function writeModels(parent: string): Promise<readonly string[]> {
  const [small, relay] = [join(parent, "small"), join(parent, "relay")];
  await mkdir(small, { recursive: true });
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
  try {
    const model = await engine.createModel({ kind: "config", config: { ...missing, ...conformanceConfig }, seed: 1 });
    await model.save(small);
    // A server reads every file of weights that it finds.
    await rm(join(small, "optimizer.safetensors"));
  } finally {
    await engine.close();
  }
  await cp(shipped, relay, { recursive: true });
  for (const folder of [small, relay]) {
    const file = join(folder, "config.json");
    const config = { ...missing, ...(JSON.parse(await readFile(file, "utf8")) as object), eos_token_id: 0 };
    await writeFile(file, `${JSON.stringify(config, null, 2)}\n`);
  }
  await writeTokenizer(small, 13);
  await writeTokenizer(relay, 47);
  return [small, relay];
}

/** A token a number. Servers want a tokenizer where nothing here uses one: all requests are token ids. */
async function writeTokenizer(folder: string, size: number): Promise<void> {
  const vocab = Object.fromEntries(Array.from({ length: size }, (_, token) => [String(token), token]));
  const tokenizer = {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    post_processor: null,
    decoder: null,
    pre_tokenizer: { type: "Whitespace" },
    model: { type: "WordLevel", vocab, unk_token: "0" },
  };
  const settings = { tokenizer_class: "PreTrainedTokenizerFast", eos_token: "0", pad_token: "0", unk_token: "0" };
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(settings));
}
