import {
  joinSequences,
  randomFromSeed,
  raggedRows,
  type Engine,
  type Ragged,
  type TrainingSequence,
} from "@laconic/core";
import { createInlineEngine } from "./local-engine.ts";
import { createReferenceKernels } from "@laconic/kernels/testing";
import { describe, expect, test } from "vitest";
import { engineCases } from "../testing/engine-cases.ts";
import { joinedModel } from "./joined-model.ts";

const config = {
  model_type: "llama",
  architectures: ["LlamaForCausalLM"],
  vocab_size: 11,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 24,
  max_position_embeddings: 64,
  rms_norm_eps: 1e-6,
  rope_theta: 10_000,
  hidden_act: "silu",
  tie_word_embeddings: true,
  initializer_range: 0.5,
  bos_token_id: null,
  eos_token_id: 0,
};

/** Three turns, a branch of the second, the same first turn once more, and a stranger. */
const turns: TrainingSequence[] = [
  { promptTokens: [1, 2], completionTokens: [3, 4], temperature: 0.7 },
  { promptTokens: [1, 2, 3, 4, 9], completionTokens: [5], temperature: 0.7 },
  { promptTokens: [1, 2, 3, 4, 9, 5, 9], completionTokens: [6, 7, 8], temperature: 0.7 },
  { promptTokens: [1, 2, 3, 4, 10], completionTokens: [2, 2], temperature: 0.7 },
  { promptTokens: [1, 2], completionTokens: [3, 4], temperature: 0.7 },
  { promptTokens: [7], completionTokens: [1], temperature: 0.7 },
];

describe("an engine of joined models", () => {
  const create = async (): Promise<Engine> => {
    const engine = await createInlineEngine([createReferenceKernels()]);
    return {
      ...engine,
      createModel: async (source, options) => joinedModel(await engine.createModel(source, options)),
    };
  };
  // Rows that share tokens share a mask, so theirs is not that of the rows apart.
  for (const item of engineCases.filter(({ name }) => !name.startsWith("dropout")))
    test(item.name, () => item.run(create));
});

/** Some gradient that differs by row and token. */
const dLogProbs = ({ offsets }: Ragged, rows: readonly number[]): Float64Array =>
  Float64Array.from(
    rows.flatMap((row, i) =>
      Array.from({ length: (offsets[i + 1] as number) - (offsets[i] as number) }, (_, t) => (row + 1) / (t + 2)),
    ),
  );

test.each([1000, 14])(
  "log-probs, entropies and the step are those of the sequences apart, micro-batches of %i",
  async (size) => {
    const engine = await createInlineEngine([createReferenceKernels()], { maxTokensPerMicroBatch: size });
    const [apart, whole] = [
      await engine.createModel({ kind: "config", config, seed: 3 }),
      await engine.createModel({ kind: "config", config, seed: 3 }),
    ];
    const joined = joinedModel(whole);
    const seen: number[] = [];
    const expected = await apart.forwardBackward(turns, dLogProbs);
    const found = await joined.forwardBackward(turns, (logProbs, rows) => {
      seen.push(...rows);
      return dLogProbs(logProbs, rows);
    });
    expect(seen.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const key of ["logProbs", "entropy"] as const) {
      expect(found[key].offsets).toEqual(expected[key].offsets);
      raggedRows(expected[key]).forEach((row, i) =>
        row.forEach((value, t) => expect(raggedRows(found[key])[i]?.[t]).toBeCloseTo(value, 5)),
      );
    }
    const settings = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
    const [norm, sameNorm] = [await apart.optimStep(settings), await joined.optimStep(settings)];
    expect(sameNorm.gradNorm).toBeCloseTo(norm.gradNorm, 4);
    const [after, joinedAfter] = [await apart.forward(turns), await (await joined.snapshot()).forward(turns)];
    after.logProbs.values.forEach((value, i) => expect(joinedAfter.logProbs.values[i]).toBeCloseTo(value, 4));
    expect(joined.weightVersion).toBe(1);
    await engine.close();
  },
);

test("five turns of a conversation cost what its last one does", () => {
  const random = randomFromSeed(1);
  const draw = (length: number): number[] => Array.from({ length }, () => random.integer(9));
  const rows: TrainingSequence[] = [];
  for (let turn = 0, reported: number[] = []; turn < 5; turn++) {
    const promptTokens = [...reported, ...draw(20)];
    const completionTokens = draw(10);
    rows.push({ promptTokens, completionTokens });
    reported = [...promptTokens, ...completionTokens];
  }
  const tokens = (all: readonly TrainingSequence[]): number =>
    all.reduce((sum, each) => sum + each.promptTokens.length + each.completionTokens.length, 0);
  expect([tokens(rows), tokens(joinSequences(rows).sequences)]).toEqual([450, 150]);
});
