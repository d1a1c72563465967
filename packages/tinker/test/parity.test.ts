import { randomFromSeed, type TrainableModel, type TrainingSequence } from "@laconic/core";
import { conformanceConfig, conformanceOptimizer } from "@laconic/engine/testing";
import { gspo } from "@laconic/gspo";
import { expect, test } from "vitest";
import { averaging, serve, summing } from "./test-server.ts";

const optimizer = { ...conformanceOptimizer, maxGradNorm: Infinity };
const sequences: readonly TrainingSequence[] = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 5, 0] },
  { promptTokens: [6], completionTokens: [7] },
  { promptTokens: [3, 2, 1, 4, 5], completionTokens: [6, 7, 8, 9, 0] },
];
const advantages = Float64Array.of(1, -0.5, 0.3);

/** Three GSPO steps of two calls each; log-probs and gradient norms along the way. */
async function train(model: TrainableModel): Promise<number[]> {
  const seen: number[] = [];
  const objective = gspo({ clip: { low: 0.03, high: 0.04 } });
  for (let step = 0; step < 3; step++) {
    for (const part of [sequences.slice(0, 2), sequences.slice(2)])
      await model.forwardBackward(
        part,
        (logProbs, rows) =>
          objective.evaluate({
            logProbs,
            oldLogProbs: logProbs,
            advantages: Float64Array.from(
              rows,
              (row) => advantages[sequences.indexOf(part[row] as TrainingSequence)] as number,
            ),
          }).gradient,
      );
    seen.push((await model.optimStep(optimizer)).gradNorm, ...(await model.forward(sequences)).logProbs.values);
  }
  return seen;
}

test.each([
  ["adds up", summing],
  ["averages", averaging],
])("three steps on a server that %s equal the local engine's", async (_, record) => {
  const served = await serve({ record, engine: { sequencesPerRequest: 2 } });
  const lora = { rank: 8, alpha: 32 };
  const seed = randomFromSeed(5).integer(2 ** 31 - 1);
  const base = { kind: "config", config: conformanceConfig, seed: 1 } as const;
  const trainableModel = await served.local.createModel({ kind: "adapter", base, lora, seed });
  const remote = await served.engine.createModel({
    kind: "adapter",
    base: { kind: "folder", path: "tiny" },
    lora,
    seed: 5,
  });
  const [expected, matches] = [await train(trainableModel), await train(remote)];
  expect(matches).toHaveLength(expected.length);
  matches.forEach((value, i) => expect(Math.abs(value - (expected[i] as number))).toBeLessThan(1e-4));
  expect(Math.abs((expected[1] as number) - (expected.at(-9) as number))).toBeGreaterThan(1e-3);
  await served.close();
});
