import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { randomFromSeed } from "@laconic/core";
import { askPython } from "@laconic/core/platform";
import { createInlineEngine } from "@laconic/engine";
import { createReferenceKernels } from "../src/kernels/testing/index.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { sharedFolder } from "../../../test/temporary-folder.ts";

const script = fileURLToPath(new URL("./python/checkpoint_parity.py", import.meta.url));
const names = [
  "qwen2, tied",
  "qwen2, bfloat16 shards",
  "qwen3, shards",
  "llama 3, rope scaling",
  "qwen3, tied, bfloat16",
  "llama 3, tied, float16 shards",
  "llama with biases",
  "mistral without a window",
];
const vocabularySize = 97;
const newTokens = 16;
const random = randomFromSeed("prompts");
/** Shorter and longer than the positions that the rotary scaling was made for. */
const prompts = [3, 17, 90].map((length) => Array.from({ length }, () => 1 + random.integer(vocabularySize - 1)));
const close = { absolute: 1e-4, relative: 0 };

interface Answer {
  readonly name: string;
  readonly folder: string;
  readonly greedy: readonly (readonly number[])[];
  readonly logProbs: readonly (readonly number[])[];
  readonly first: readonly (readonly number[])[];
}

const folder = sharedFolder();
let missing: string | null = null;
let answers: readonly Answer[] = [];

beforeAll(async () => {
  const outcome = await askPython<Answer[]>(script, { folder, prompts, newTokens });
  if ("missing" in outcome) missing = outcome.missing;
  else answers = outcome.answer;
});

describe.each(names)("a checkpoint of %s saved by transformers", (name) => {
  test("gives the same logits, greedy tokens and log-probs", async ({ skip }) => {
    if (missing !== null) return skip(missing);
    const answer = answers.find((one) => one.name === name) as Answer;
    const shards = (await readdir(answer.folder)).filter((file) => file.endsWith(".safetensors")).length;
    expect(shards > 1).toBe(name.includes("shards"));

    const engine = await createInlineEngine([createReferenceKernels()]);
    const model = await engine.createModel({ kind: "folder", path: answer.folder });
    const everyToken = prompts.flatMap((promptTokens) =>
      Array.from({ length: vocabularySize }, (_, token) => ({ promptTokens, completionTokens: [token] })),
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
    await engine.close();
  });
});
