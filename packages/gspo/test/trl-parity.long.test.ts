import { LaconicError, ragged, randomFromSeed, statisticMean, type Objective } from "@laconic/core";
import { beforeAll, describe, expect, test } from "vitest";
import { cispo, grpo, gspo, gspoToken, luspo, sapo, vespo, type KlOptions } from "../src/index.ts";
import { goldenInput } from "../src/testing/index.ts";
import { askTrl, type TrlBatch, type TrlReply, type TrlResult, type TrlSettings } from "./trl.ts";

type Case = readonly [name: string, objective: Objective, settings: TrlSettings];

const clip = { low: 0.2, high: 0.28 };
const grpoSettings = { loss_type: "grpo", epsilon_low: clip.low, epsilon_high: clip.high };
const dapoSettings = { ...grpoSettings, loss_type: "dapo" };
const sequenceRatio = { importance_sampling_level: "sequence" };
const gspoSettings = { loss_type: "grpo", ...sequenceRatio, epsilon_low: 3e-4, epsilon_high: 4e-4 };
const wide = { low: 0.01, high: 0.015 };
const beta = 0.04;
const k3: KlOptions = { estimator: "k3", coefficient: beta };

const clipping: readonly Case[] = [
  ["gspo", gspo(), gspoSettings],
  ["gspo, wide clip", gspo({ clip: wide }), { ...gspoSettings, epsilon_low: wide.low, epsilon_high: wide.high }],
  ["grpo", grpo(), { loss_type: "grpo", epsilon_low: 0.2, epsilon_high: 0.2 }],
  ["grpo, clip higher", grpo({ clip }), grpoSettings],
  ["dapo", grpo({ clip, aggregation: "token-mean" }), dapoSettings],
  ["bnpo: dapo on one batch", grpo({ clip, aggregation: "token-mean" }), { ...grpoSettings, loss_type: "bnpo" }],
  [
    "dr-grpo",
    grpo({ clip, aggregation: "seq-mean-token-sum-norm", constantLength: 48 }),
    { ...grpoSettings, loss_type: "dr_grpo", max_completion_length: 48 },
  ],
  ["luspo", luspo(), { loss_type: "luspo", ...sequenceRatio, epsilon_low: 2e-3, epsilon_high: 2.5e-3 }],
];

const others: readonly Case[] = [
  ["gspo-token, equal advantages", gspoToken(), gspoSettings],
  ["two-sided clip", grpo({ clip, maxRatio: 1.3 }), { ...grpoSettings, delta: 1.3 }],
  ["dual clip: two-sided under another name", grpo({ clip, dualClip: 1.3 }), { ...grpoSettings, delta: 1.3 }],
  ["cispo", cispo({ maxRatio: 1.1 }), { loss_type: "cispo", epsilon_high: 1.1 }],
  ["sapo", sapo(), { loss_type: "sapo" }],
  ["vespo", vespo(), { loss_type: "vespo" }],
  ["off-policy mask", grpo({ clip, offPolicyMask: 0.01 }), { ...grpoSettings, off_policy_mask_threshold: 0.01 }],
];

const withKl: readonly Case[] = [
  ["grpo + k3", grpo({ clip, kl: k3 }), { ...grpoSettings, beta }],
  ["dapo + k3", grpo({ clip, aggregation: "token-mean", kl: k3 }), { ...dapoSettings, beta }],
  ["gspo + k3", gspo({ kl: k3 }), { ...gspoSettings, beta }],
  [
    // TRL differentiates the weight of w k3 too, and d(w k3) / d log π = w e: k3's value with k2's gradient.
    "grpo + bias-corrected k3: k3+ here",
    grpo({ clip, kl: { ...k3, estimator: "k3+", biasCorrection: true } }),
    { ...grpoSettings, beta, use_bias_correction_kl: true },
  ],
];

const cases = [...clipping, ...others, ...withKl];
const batch = randomBatch();
const golden: TrlBatch = { ...goldenInput, mask: new Uint8Array(goldenInput.logProbs.values.length).fill(1) };
let reply: TrlReply;

// Importing TRL alone takes long on a cold disk.
beforeAll(async () => {
  reply = await askTrl([
    ...cases.map(([name, , settings]) => ({ name, settings, batch })),
    { name: "golden", settings: gspoSettings, batch: golden },
    { name: "golden, length-weighted", settings: { ...gspoSettings, loss_type: "dapo" }, batch: golden },
  ]);
});

function trlResult(name: string, skip: (reason: string) => never): TrlResult {
  if ("missing" in reply) return skip(`needs TRL: ${reply.missing} is not installed`);
  const result = reply.results[name];
  if (!result) throw new Error(`the script gave no result for ${name}`);
  return result;
}

describe("loss and gradient equal TRL's GRPOTrainer in float64", () => {
  test.for(cases)("%s", ([name, objective], { skip }) => {
    const theirs = trlResult(name, skip);
    const ours = objective.evaluate(batch);
    expect([ours.loss]).toBeAllclose([theirs.loss], { relative: 1e-12, absolute: 1e-14 });
    expect(ours.gradient).toBeAllclose(theirs.gradient.flat(), { relative: 1e-12, absolute: 1e-15 });
    expect(ours.gradient.filter((dLogProb) => dLogProb !== 0).length).toBeGreaterThan(20);
  });
});

describe("the clip frequency equals TRL's", () => {
  test.for(clipping)("%s", ([name, objective], { skip }) => {
    const { metrics } = trlResult(name, skip);
    const { diagnostics } = objective.evaluate(batch);
    for (const side of ["low", "high", "region"]) {
      const share = metrics[`clip_ratio/${side}_mean`] as number;
      // Some units are clipped and some are not, or agreement would mean little.
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThan(1);
      // TRL counts in float32.
      expect([statisticMean(diagnostics[`clip_ratio/${side}`] as never)]).toBeAllclose([share]);
    }
  });
});

test("the cap and the off-policy mask act on this batch", () => {
  const lossOf = (objective: Objective): number => objective.evaluate(batch).loss;
  const plain = lossOf(grpo({ clip }));
  expect(Math.abs(lossOf(grpo({ clip, maxRatio: 1.3 })) - plain)).toBeGreaterThan(1e-4);
  expect(Math.abs(lossOf(grpo({ clip, offPolicyMask: 0.01 })) - plain)).toBeGreaterThan(1e-4);
});

test.for(withKl.slice(0, 3))("the logged KL equals TRL's: %s", ([name, objective], { skip }) => {
  const { metrics } = trlResult(name, skip);
  const { kl } = objective.evaluate(batch).diagnostics;
  expect([statisticMean(kl as never)]).toBeAllclose([metrics["kl"] as number]);
});

test("TRL #3823: TRL's default loss type weights GSPO by length; ours rejects it", ({ skip }) => {
  const wrong = trlResult("golden, length-weighted", skip).loss;
  expect(wrong).toBeCloseTo(-0.11956291259562532, 14);
  expect(trlResult("golden", skip).loss).toBeCloseTo(0.003363023494917749, 14);
  expect(gspo().evaluate(golden).loss).toBeCloseTo(0.003363023494917749, 14);
  const refused = (): Objective => gspo({ aggregation: "token-mean" });
  expect(refused).toThrow(LaconicError);
  expect(refused).toThrow("weights sequences by length");
});

/**
 * 64 replies of 1 to 40 tokens, one token in ten masked. Every other one has hardly moved from the old policy, so that
 * GSPO's narrow clip acts on some sequences only. No reply is empty: TRL counts those in N, this package does not.
 */
function randomBatch(): TrlBatch {
  const random = randomFromSeed("trl-parity");
  const rows = Array.from({ length: 64 }, (_, s) => {
    const drift = s % 2 === 0 ? 0.2 : 1e-4;
    return Array.from({ length: 1 + random.integer(40) }, (_token, t) => {
      const old = -3 * random.uniform();
      const [now, ref] = [old + drift * random.normal(), old + 0.3 * random.normal()];
      return { old, now, ref, trained: t === 0 || random.uniform() > 0.1 };
    });
  });
  return {
    logProbs: ragged(rows.map((row) => row.map(({ now }) => now))),
    oldLogProbs: ragged(rows.map((row) => row.map(({ old }) => old))),
    refLogProbs: ragged(rows.map((row) => row.map(({ ref }) => ref))),
    mask: Uint8Array.from(rows.flat(), ({ trained }) => (trained ? 1 : 0)),
    advantages: Float64Array.from(rows, () => random.normal()),
  };
}
