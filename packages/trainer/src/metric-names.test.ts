import type { UnknownRecord } from "@laconic/core";
import type { RunSpecOptions } from "./spec/run-spec.ts";
import { expect, test } from "vitest";
import { trainTiny } from "../test/train-tiny.ts";
import { describeMetric, metricNames, metricPattern } from "./metric-names.ts";
import { onlyPolicy, type TrainedPolicy, type TrainingParts } from "./spec/parts.ts";
import { tinyDuelParts, tinyPairParts, tinyParts } from "./testing/index.ts";

async function emitted(settings: UnknownRecord = {}, parts: RunSpecOptions = tinyParts("star")): Promise<string[]> {
  const budget = { targetTokens: 3, learningRate: 0.01 };
  const { rows } = await trainTiny(parts, { steps: 1, prices: {}, budget, ...settings });
  return Object.keys(rows.at(-1) ?? {});
}

const penalised = { objective: { name: "gspo", kl: { estimator: "k3", coefficient: 0.1 } } };
const trees = {
  tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
  groupBy: "tree-node",
  budget: null,
};
const decoupled = { advantage: { estimator: "decoupled", costs: "z-score" } };

function withExamples(): TrainingParts {
  const parts = tinyParts();
  const policy = parts.policies[onlyPolicy] as TrainedPolicy;
  const examples = { size: null, take: () => [{ promptTokens: [0], completionTokens: [3, 9] }] };
  return { ...parts, policies: { [onlyPolicy]: { ...policy, examples } } };
}

test("every metric of a step matches exactly one entry, and every entry is emitted", async () => {
  const own = await emitted({ policies: { first: { budget: { targetTokens: 1, learningRate: 1 } } } }, tinyPairParts());
  const late = await emitted({ asynchronous: { maxLag: 1, importanceCap: 2 }, steps: 2 });
  const emittedBy = [
    late,
    await emitted(penalised),
    await emitted(decoupled),
    await emitted(trees, tinyPairParts()),
    await emitted({ objective: { name: "gspo", offPolicyMask: 0.5 } }),
    await emitted(
      { groupBy: "prompt+agent", credit: { kind: "difference" } },
      {
        ...tinyParts("star"),
        settings: { reward: () => ({ team: {}, agents: { hint: { win: 1 } }, score: 1, measures: { seen: 1 } }) },
      },
    ),
    await emitted({ supervised: {} }, withExamples()),
    await emitted(
      { groupBy: "prompt+agent", budget: null, opponents: { sides: [["left"], ["right"]], latest: 0 } },
      tinyDuelParts(),
    ),
    own,
  ];
  const keys = [...new Set(emittedBy.flat().map((key) => key.replace(/^policy\/\w+\//u, "")))];
  expect(keys.length).toBeGreaterThan(50);
  for (const key of keys)
    expect([key, metricNames.filter(({ name }) => metricPattern(name).test(key)).length]).toEqual([key, 1]);
  const unused = metricNames.filter(({ name }) => !keys.some((key) => metricPattern(name).test(key)));
  expect(unused).toEqual([]);
});

test.each([{}, penalised, decoupled])("entries are in the order of the metrics, with %j", async (settings) => {
  const order = (await emitted(settings)).map((key) =>
    metricNames.findIndex(({ name }) => metricPattern(name).test(key)),
  );
  const firsts = order.filter((entry, i) => order.indexOf(entry) === i);
  expect(firsts).toEqual([...firsts].toSorted((a, b) => a - b));
});

test("a metric is described by its family; a name with dots or slashes is no pattern", () => {
  expect(describeMetric("tokens/written/holder-a")?.name).toBe("tokens/written/{agent}");
  expect(describeMetric("silence/frac")?.name).toBe("silence/frac");
  expect(describeMetric("silence/solver/frac")?.meaning).toBe("Share of an agent's turns without a word.");
  expect(describeMetric("log_ratio_abs_max")?.unit).toBe("nats");
  expect(describeMetric("policy/solver/ratio/max")?.unit).toBe("");
  expect(describeMetric("timing_s/update")?.unit).toBe("s");
  expect(describeMetric("perf/device_memory_gib")?.unit).toBe("GiB");
  expect(describeMetric("no/such")).toBeUndefined();
  expect(metricPattern("a.b").test("axb")).toBe(false);
});
