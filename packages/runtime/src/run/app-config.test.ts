import { agentGspoDefaults } from "@laconic/trainer";
import { expect, test } from "vitest";
import { presetConfig } from "../resolver/load-config.ts";
import { parseAppConfig } from "./app-config.ts";

const debate = { name: "benchmark", benchmark: "gsm8k", team: "plain-debate" } as const;
const ownData = (change: object): { task: unknown } => ({
  task: { name: "data", team: "solo", data: { train: "a.csv", testProblems: "b.csv", grading: "numeric", ...change } },
});

test("an empty configuration is the relay task with the paper's training defaults", () => {
  expect(parseAppConfig({})).toEqual({
    task: { name: "relay", level: "one-fact" },
    model: "shipped",
    warmStart: null,
    sinks: ["tensorboard"],
    engine: null,
    sampler: null,
    actor: null,
    policies: "shared",
    bases: {},
    teachers: {},
    chatTemplateArguments: {},
    lora: null,
    device: "auto",
    devices: {},
    workers: "auto",
    deterministic: false,
    memory: { maxTokensPerMicroBatch: 16_384, recompute: "none" },
    train: agentGspoDefaults,
  });
});

test.each([
  [{ worker: 3 }, "worker", "did you mean workers?"],
  [
    { zzzzzz: 3 },
    "zzzzzz",
    "use one of: task, model, warmStart, engine, sampler, actor, policies, bases, teachers, chatTemplateArguments, lora, device, devices, workers, deterministic, memory, sinks, train",
  ],
  [{ workers: 0 }, "workers", "a number from 1 on"],
  [{ task: { name: "relay", level: "ten-facts" } }, "task.level", "one-fact"],
  [
    { task: { ...debate, team: "plain-debat" } },
    "task.team",
    "one of solo, hint, critic, debate, roles, star, chain, plain-",
  ],
  [{ task: { ...debate, team: ["hint", "none"] } }, "task.team", "or a list of them"],
  [{ task: { ...debate, density: 1.5 } }, "task.density", "a number up to 1"],
  [{ task: { ...debate, showBudget: true } }, "task.showBudget", "no budget for the team"],
  [{ task: debate, actor: { model: "folder" } }, "actor", "every agent of this task learns"],
  [{ task: { name: "data", team: "hint" } }, "task.data", "it is missing; it must be a group of settings"],
  [ownData({ grading: "number" }), "task.data.grading.kind", "expected numeric, letter, maths, code or text"],
  [ownData({ train: 7 }), "task.data.train", "expected a file, a list of files, or hub:owner/name/files"],
  [ownData({ testProblems: { share: 2 } }), "task.data.testProblems.share", "a number below 1"],
  [
    ownData({ columns: { gold: "a", qestion: "q" } }),
    "task.data.columns",
    "unknown setting qestion; did you mean question?",
  ],
  [{ ...ownData({}), actor: { model: "x" } }, "actor", "every agent of this task learns"],
  [{ train: { stepz: 1 } }, "train.stepz", "did you mean train.steps?"],
  [{ train: { sampling: {} } }, "train.sampling.temperature", "number"],
])("%j is refused at %s: %s", (written, key, reason) => {
  expect(() => parseAppConfig(written)).toFailWith("config_invalid", reason, { key });
});

test("prompts show a budget if one exists, and an actor speaks if an agent does not learn", () => {
  const budget = { targetTokens: 60, learningRate: 1e-6 };
  const shown = parseAppConfig({ task: { ...debate, showBudget: true }, train: { budget } });
  expect(shown.task).toMatchObject({ ...debate, showBudget: true });
  for (const team of ["debate", "hint", "critic", "roles", ["hint", "debate"]])
    expect(parseAppConfig({ task: { ...debate, team }, actor: { model: "folder" } }).actor).toEqual({
      model: "folder",
    });
});

test("custom data has kinds by name or with details, both in one form", () => {
  const { task } = parseAppConfig(ownData({ testProblems: { share: 0.1, seed: 3 }, columns: { choices: ["A", "B"] } }));
  expect(task).toMatchObject({
    name: "data",
    data: { grading: { kind: "numeric" }, testProblems: { share: 0.1, seed: 3 } },
  });
});

test("rejects a value without an object", () => {
  for (const wrong of [null, [], "train", undefined]) expect(() => parseAppConfig(wrong)).toFailWith("config_invalid");
});

test("every preset is a whole configuration; its name is found with a slip", () => {
  expect(parseAppConfig(presetConfig("relay-quickstart"))).toMatchObject({
    task: { name: "relay", level: "one-fact" },
    train: {
      objective: { name: "gspo" },
      budget: { targetTokens: 14 },
      advantage: { estimator: "group", scale: "none" },
    },
  });
  expect(() => presetConfig("relay-quickstar")).toThrowError(
    expect.objectContaining({ message: "preset relay-quickstar not found; did you mean preset:relay-quickstart?" }),
  );
  for (const name of ["toString", "constructor", "__proto__"])
    expect(() => presetConfig(name)).toFailWith("config_invalid");
});
