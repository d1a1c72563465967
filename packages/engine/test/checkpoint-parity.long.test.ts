import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomFromSeed } from "@laconic/core";
import { askPython, type PythonAnswer } from "@laconic/core/platform";
import { createInlineEngine } from "@laconic/engine";
import { createReferenceKernels } from "../src/kernels/testing/index.ts";
import { familyConfigs } from "../src/testing/tiny-models.ts";
import { openModelFolder } from "../src/weights/model-folder.ts";
import { defaultFiles } from "#platform";
import { beforeAll, expect, test } from "vitest";
import { sharedFolder } from "../../../test/temporary-folder.ts";

const script = fileURLToPath(new URL("./python/checkpoint_parity.py", import.meta.url));
const random = randomFromSeed("prompts");

const sizes = {
  vocab_size: 97,
  hidden_size: 32,
  intermediate_size: 56,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 256,
  initializer_range: 0.25,
  tie_word_embeddings: false,
};
const llama3 = {
  rope_theta: 500000,
  rope_scaling: {
    rope_type: "llama3",
    factor: 8,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 64,
  },
};
/** Model type, type and max size of stored files, other keys. */
const stored: Readonly<Record<string, readonly [type: string, dtype: string, shard: string, change: object]>> = {
  "qwen2, tied": ["qwen2", "float32", "5GB", { tie_word_embeddings: true }],
  "qwen2, bfloat16 shards": ["qwen2", "bfloat16", "20KB", {}],
  "qwen3, shards": ["qwen3", "float32", "30KB", { head_dim: 12 }],
  "llama 3, rope scaling": ["llama", "float32", "5GB", llama3],
  "qwen3, tied, bfloat16": ["qwen3", "bfloat16", "5GB", { head_dim: 16, tie_word_embeddings: true }],
  "llama 3, tied, float16 shards": ["llama", "float16", "10KB", { ...llama3, tie_word_embeddings: true }],
  "llama with biases": ["llama", "float32", "5GB", { attention_bias: true, rms_norm_eps: 1e-5 }],
  "mistral without a window": ["mistral", "bfloat16", "5GB", { head_dim: 12, sliding_window: null }],
};
const folder = sharedFolder();
const questions = [
  // Shorter and longer than the positions that the rotary scaling was made for.
  ...Object.entries(stored).map(([name, [model_type, dtype, shard, change]]) => {
    return { name, dtype, shard, config: { ...sizes, model_type, ...change }, lengths: [3, 17, 90], newTokens: 16 };
  }),
  ...Object.entries(familyConfigs).map(([name, config]) => {
    return {
      name,
      dtype: "float32",
      shard: "5GB",
      config: { ...config, initializer_range: 0.25 },
      lengths: [2, 9],
      newTokens: 7,
    };
  }),
].map((question, i) => ({
  ...question,
  folder: join(folder, String(i)),
  prompts: question.lengths.map((length) => Array.from({ length }, () => 1 + random.integer(10))),
}));

interface Answer {
  readonly greedy: readonly (readonly number[])[];
  readonly logProbs: readonly (readonly number[])[];
  readonly first: readonly (readonly number[])[];
}

let outcome: PythonAnswer<readonly Answer[]> = { missing: "not asked" };
beforeAll(async () => {
  outcome = await askPython<readonly Answer[]>(script, questions);
});

test.for(questions)(
  "computes with a checkpoint of transformers, and saves it again: $name",
  async (question, { skip }) => {
    if ("missing" in outcome) return skip(outcome.missing);
    const answer = outcome.answer[questions.indexOf(question)] as Answer;
    const { name, prompts, newTokens } = question;
    const close = { absolute: 2e-5, relative: 0 };
    const shards = (await readdir(question.folder)).filter((file) => file.endsWith(".safetensors")).length;
    expect(shards > 1).toBe(name.includes("shards"));

    const engine = await createInlineEngine([createReferenceKernels()]);
    const model = await engine.createModel({ kind: "folder", path: question.folder });
    const everyToken = prompts.flatMap((promptTokens, i) =>
      (answer.first[i] as readonly number[]).map((_, token) => ({ promptTokens, completionTokens: [token] })),
    );
    expect((await model.forward(everyToken)).logProbs.values).toBeAllclose(answer.first.flat(), close);
    const replies = await model.sample(
      prompts.map((promptTokens) => ({
        promptTokens,
        sampling: { temperature: 0, maxTokens: newTokens },
        stopTokens: [],
        random: randomFromSeed(0).state(),
      })),
    );
    expect(replies.map(({ tokens }) => tokens)).toEqual(answer.greedy);
    expect(replies.flatMap(({ logProbs }) => logProbs)).toBeAllclose(answer.logProbs.flat(), close);

    const saved = join(question.folder, "saved");
    await mkdir(saved);
    await model.save(saved);
    expect(await tensorsOf(saved)).toEqual(await tensorsOf(question.folder));
    await engine.close();
  },
);

async function tensorsOf(path: string): Promise<object> {
  const { tensors, close } = await openModelFolder(defaultFiles, path);
  const values = Array.from(tensors, async ([name, source]) => [name, Array.from(await source.read())] as const);
  const entries = await Promise.all(values);
  await close();
  return Object.fromEntries(entries);
}
