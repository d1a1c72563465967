import { expect, test } from "vitest";
import { misreported } from "../test/misreported.ts";
import { trainTiny, type Trained } from "../test/train-tiny.ts";
import { parseTrainConfig } from "./settings/parse-train-config.ts";
import { onlyPolicy, type TrainedPolicy } from "./spec/parts.ts";
import { tinyParts } from "./testing/index.ts";

/** A synchronous run whose sampler reports log-probs that are 5 % too low. */
async function rowsWith(objective: object): Promise<Trained> {
  const parts = tinyParts();
  const policy = parts.policies[onlyPolicy] as TrainedPolicy;
  const speak: TrainedPolicy["speak"] = (sampler) => misreported(policy.speak(sampler), () => 1.05);
  return trainTiny({ ...parts, policies: { [onlyPolicy]: { ...policy, speak } } }, { steps: 3, objective });
}

const truncate = { kind: "truncate", level: "token" } as const;
const losses = ({ rows }: Trained): unknown[] => rows.map((row) => row["actor/pg_loss"]);

test("a synchronous run weights samples by the gap between sampler and trainer, up to the cap", async () => {
  const weighed = await rowsWith({ name: "grpo", importance: { ...truncate, cap: 2 } });
  for (const row of weighed.rows) {
    const gap = row["sampling/logp_difference_max"] as number;
    expect(gap).toBeGreaterThan(0.02);
    // The reported probabilities are too low, so every weight is above 1.
    expect(row["importance_weight/min"]).toBeGreaterThan(1);
    expect(row["importance_weight/max"]).toBeCloseTo(Math.exp(gap), 10);
    expect(row["sampling/ess"]).toBeGreaterThan(0.9);
  }
  const plain = await rowsWith({ name: "grpo" });
  expect(plain.rows[0]).not.toHaveProperty("importance_weight/mean");
  const capped = await rowsWith({ name: "grpo", importance: { ...truncate, cap: 1.01 } });
  expect(losses(weighed)).not.toEqual(losses(plain));
  expect(losses(capped)).not.toEqual(losses(weighed));
});

test("a run with a wide gap gets a warning with the setting that corrects it", async () => {
  const { warnings } = await rowsWith({ name: "grpo" });
  expect([...new Set(warnings)].filter((text) => text.includes("objective.importance"))).toHaveLength(1);
  const weighed = await rowsWith({ name: "grpo", importance: { ...truncate, cap: 2 } });
  expect(weighed.warnings.filter((text) => text.includes("objective.importance"))).toEqual([]);
});

test("a second correction and an idle one are rejected", () => {
  const objective = { name: "grpo", importance: { ...truncate, cap: 2 } };
  expect(() => parseTrainConfig({ objective, asynchronous: { maxLag: 1, importanceCap: 2 } })).toThrow(
    /objective\.importance.*importanceCap/u,
  );
  expect(() => parseTrainConfig({ objective, oldLogProbs: "sampler" })).toThrow(/objective\.importance.*recompute/u);
});
