import { expect, test } from "vitest";
import { applyOverrides } from "./app-config.ts";

const config = { device: "auto", train: { steps: 3, sampling: { temperature: 1 }, list: [1] } };

test("dotted words set values: JSON where it parses, else text", () => {
  const words = [
    "train.steps=40",
    "train.sampling.temperature=0.5",
    'train.objective.clip={"low":0.1,"high":0.2}',
    "train.budget=null",
    "train.flag=true",
    "device=wasm",
    "model=a=b",
    "note=",
  ];
  expect(applyOverrides(config, words)).toEqual({
    device: "wasm",
    model: "a=b",
    note: "",
    train: {
      steps: 40,
      sampling: { temperature: 0.5 },
      objective: { clip: { low: 0.1, high: 0.2 } },
      budget: null,
      flag: true,
      list: [1],
    },
  });
  expect(config.train.steps).toBe(3); // a copy was changed
});

test.each([
  ["train.steps", `"train.steps" is not key=value`],
  ["=3", `"=3" is not key=value`],
  ["train..steps=3", `"train..steps" is not a setting`],
  ["__proto__.polluted=1", "is not a setting"],
  ["train.constructor.prototype.polluted=1", "is not a setting"],
  ["train.__proto__=1", "is not a setting"],
  ["device.name=1", "device.name: device is a value, not a group of settings"],
  ["train.list.0=1", "train.list.0: list is a value"],
  ["train.toString.name=1", "toString is a value"],
])("%s is refused", (word, reason) => {
  expect(() => applyOverrides(config, [word])).toFailWith("config_invalid", reason);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});
