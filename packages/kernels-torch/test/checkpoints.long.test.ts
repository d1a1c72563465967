import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomFromSeed } from "@laconic/core";
import { askPython } from "@laconic/core/platform";
import { createInlineEngine } from "@laconic/engine";
import { createReferenceKernels } from "@laconic/engine/kernels/testing";
import { createKernels } from "@laconic/kernels-torch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installedTorch } from "./installed-torch.ts";

const script = fileURLToPath(new URL("../../engine/test/python/checkpoint_parity.py", import.meta.url));
const random = randomFromSeed("prompts");
/** Longer than the positions that the rotary scaling was made for, and short. */
const prompts = [3, 17, 90].map((length) => Array.from({ length }, () => 1 + random.integer(96)));
const newTokens = 24;

interface Answer {
  readonly name: string;
  readonly folder: string;
  readonly greedy: readonly (readonly number[])[];
  readonly logProbs: readonly (readonly number[])[];
}

const found = installedTorch();
let folder = "";
let missing: string | null = "missing" in found ? found.missing : null;
let answers: readonly Answer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "laconic-checkpoints-"));
  const outcome = await askPython<Answer[]>(script, { folder, prompts, newTokens });
  if ("missing" in outcome) missing = outcome.missing;
  else answers = outcome.answer;
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([0, 1, 2, 3])("checkpoint %i that transformers wrote", (index) => {
  test.for(["libtorch", "reference"] as const)(
    "gives the same greedy tokens and log-probs on %s",
    { timeout: 60_000 },
    async (set, { skip }) => {
      if (missing !== null) return skip(missing);
      const answer = answers[index] as Answer;
      const torch = "install" in found ? found.install.folder : "";
      const kernels = set === "reference" ? createReferenceKernels() : await createKernels({ device: "cpu", torch });
      const engine = await createInlineEngine([kernels]);
      const model = await engine.createModel({ kind: "folder", path: answer.folder });
      const replies = await model.sample(
        prompts.map((promptTokens) => ({
          promptTokens,
          sampling: { temperature: 0, maxTokens: newTokens },
          stopTokens: [],
          random: randomFromSeed(0).state(),
        })),
      );
      expect(replies.map(({ tokens }) => tokens)).toEqual(answer.greedy);
      const { logProbs } = await model.forward(
        prompts.map((promptTokens, i) => ({ promptTokens, completionTokens: answer.greedy[i] as readonly number[] })),
      );
      expect(logProbs.values).toBeAllclose(answer.logProbs.flat(), { relative: 1e-4, absolute: 1e-4 });
      expect(replies.flatMap((reply) => reply.logProbs)).toBeAllclose(answer.logProbs.flat(), {
        relative: 1e-4,
        absolute: 1e-4,
      });
      await engine.close();
    },
  );
});
