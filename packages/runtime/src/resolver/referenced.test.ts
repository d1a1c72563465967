import { relayHintTask } from "@laconic/tasks";
import { tokensRead } from "@laconic/rewards";
import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import { parseAppConfig, writtenConfig, applyOverrides } from "../run/app-config.ts";
import { checkReferences, referenced } from "./reference.ts";

const speaker = { directory: "/lab/project", module: "/lab/project/run.config.ts" };
const at = (...path: string[]) => ({ file: speaker.module, export: "default", path });

function brief(): { readonly brief: number } {
  return { brief: 1 };
}

const objective = { name: "mine", settings: {}, evaluate: brief };

test("values become references to their files; named values remain", () => {
  const team = { name: "mine", agents: ["a"], run: brief };
  const config = {
    task: { name: "benchmark", benchmark: "gsm8k", team: [team, "hint"] },
    actor: { id: "own", complete: brief },
    device: undefined,
    train: {
      reward: brief,
      advantage: () => new Float64Array(1),
      objective,
      costs: { read: tokensRead(), tokens: { kind: "tokens-written" } },
      policies: { first: { objective, prices: { tokens: 1 } } },
    },
  };
  expect(referenced(config, speaker)).toEqual({
    task: { name: "benchmark", benchmark: "gsm8k", team: [{ ...at("task", "team", "0"), name: "mine" }, "hint"] },
    actor: at("actor"),
    train: {
      reward: { ...at("train", "reward"), name: "brief" },
      advantage: { ...at("train", "advantage"), name: "advantage" },
      objective: { ...at("train", "objective"), name: "mine" },
      costs: { read: at("train", "costs", "read"), tokens: { kind: "tokens-written" } },
      policies: {
        first: { objective: { ...at("train", "policies", "first", "objective"), name: "mine" }, prices: { tokens: 1 } },
      },
    },
  });
  expect(referenced({ task: relayHintTask({ testProblems: 1 }) }, speaker)).toEqual({
    task: { ...at("task"), name: "relay-hint" },
  });
});

test("files are relative to who says them: a configuration's folder, or the working directory for a word", () => {
  const config = { task: { file: "../task.ts#sums", settings: { digits: 2 } }, train: { reward: "./reward.ts#brief" } };
  expect(referenced(config, { directory: speaker.directory })).toEqual({
    task: { file: "/lab/task.ts", export: "sums", settings: { digits: 2 } },
    train: { reward: { file: "/lab/project/reward.ts", export: "brief" } },
  });
  expect(applyOverrides({}, ["task=./task.ts", "task.settings.digits=4", "train.reward=./a.ts#b"])).toEqual({
    task: { file: `${process.cwd()}/task.ts`, export: "default", settings: { digits: 4 } },
    train: { reward: { file: `${process.cwd()}/a.ts`, export: "b" } },
  });
  // A data task's own file is no value.
  const data = { name: "benchmark", benchmark: "gsm8k", team: "hint", file: "./problems.jsonl" };
  expect(referenced({ task: data }, speaker)).toEqual({ task: data });
});

test.each([
  [
    { train: { estimator: brief } },
    "train.estimator: expected a setting, got a function; an estimator goes at train.advantage",
  ],
  [{ train: { steps: () => 3 } }, "train.steps: expected a setting, got a function"],
  [{ model: new Date() }, "model: expected a setting, got a value of a class"],
  [
    { train: { objective: { evaluate: brief } } },
    "train.objective: expected a value of kind objective: name is missing",
  ],
  [{ task: { testProblems: [] } }, "task: expected a value of kind task: name is missing"],
  [
    { train: { reward: { task: 1, by: brief } } },
    "train.reward: expected a value of kind reward: it is an object, not a function",
  ],
  [{ actor: { complete: brief } }, "actor: expected a value of kind language model: id is missing"],
])("%o is refused with its key", (config, reason) => {
  expect(() => referenced(config, speaker)).toFailWith("config_invalid", reason);
});

test("a value where nothing could find it again is refused", () => {
  expect(() => referenced({ train: { reward: brief } }, { directory: "/" })).toThrow(/put it into a file/u);
});

test("an unknown key of a reference is rejected with the closest key", () => {
  const config = applyOverrides({}, ["task=./task.ts", "task.digits=4"]);
  expect(() => checkReferences(config)).toThrowError(
    expect.objectContaining({
      detail: { key: "task.digits" },
      message: expect.stringContaining("task.settings.digits") as string,
    }),
  );
});

test("a configuration with values reads back unchanged", () => {
  const reference = (name: string) => ({ file: `/p/${name}.ts`, export: "default" });
  const written = {
    task: { name: "benchmark", benchmark: "gsm8k", team: [reference("team"), "hint"], rounds: 3 },
    actor: reference("actor"),
    train: {
      steps: 7,
      reward: reference("reward"),
      advantage: reference("estimator"),
      objective: reference("objective"),
      costs: { tokens: { kind: "tokens-written" }, mine: reference("cost") },
      policies: { policy: { objective: reference("objective"), prices: { tokens: 1 } } },
    },
  };
  const config = parseAppConfig(written);
  expect(config.train).toMatchObject(written.train);
  const again = writtenConfig(config);
  expect(again).toMatchObject(written);
  expect(writtenConfig(parseAppConfig(again))).toEqual(again);
  const refusal = (train: object) => () => parseAppConfig({ ...written, train: { ...written.train, ...train } });
  expect(refusal({ step: 3 })).toThrow(/train\.step: unknown setting/u);
  expect(refusal({ reward: "brief" })).toThrow(/train\.reward/u);
  expect(refusal({ costs: { mine: { kind: "nothing" } } })).toThrow(LaconicError);
  expect(() => parseAppConfig({ task: { ...written.task, team: [reference("team"), "nobody"] } })).toThrow(
    /task\.team/u,
  );
});
