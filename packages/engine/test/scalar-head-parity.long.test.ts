import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { askPython } from "@laconic/core/platform";
import { createInlineEngine } from "@laconic/engine";
import { createReferenceKernels } from "../src/kernels/testing/index.ts";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { tinyConfigs } from "../src/testing/tiny-models.ts";

const script = fileURLToPath(new URL("./python/scalar_head_parity.py", import.meta.url));
const states: readonly (readonly number[])[] = [[1], [3, 2, 5], [4, 1, 2, 3, 5]];
const read = states.map((tokens) => ({ tokens }));
const optimizer = { learningRate: 0.1, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 9 };

interface Answer {
  readonly labels: number;
  readonly unused: readonly string[];
  readonly missing: readonly string[];
  readonly values: readonly number[];
}

test("trained and saved scalar models of every family have equal values in transformers", async ({ skip }) => {
  const folder = await temporaryFolder();
  const engine = await createInlineEngine([createReferenceKernels()]);
  onTestFinished(() => engine.close());
  const saved: { readonly folder: string; readonly values: readonly number[] }[] = [];
  for (const [number, config] of Object.values(tinyConfigs).entries()) {
    const model = await engine.createValueModel({ kind: "config", config, seed: 2 });
    for (let step = 0; step < 3; step++) {
      await model.forwardBackward(read, ({ values }, rows) =>
        values.map((value, i) => value - (rows[i] as number) - 1),
      );
      await model.optimStep(optimizer);
    }
    const own = join(folder, String(number));
    await mkdir(own);
    await model.save(own);
    const { values } = await model.forward(read);
    expect(Math.max(...values.map(Math.abs))).toBeGreaterThan(0.1);
    saved.push({ folder: own, values: [...values] });
  }
  const outcome = await askPython<Answer[]>(script, { folders: saved.map((item) => item.folder), states });
  if ("missing" in outcome) return skip(outcome.missing);
  const answers = outcome.answer;
  expect(answers.map(({ labels, unused, missing }) => [labels, unused, missing])).toEqual(saved.map(() => [1, [], []]));
  expect(answers.flatMap(({ values }) => values)).toBeAllclose(
    saved.flatMap(({ values }) => values),
    { absolute: 1e-5, relative: 0 },
  );
});
