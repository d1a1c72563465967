import { describe, expect, test } from "vitest";
import {
  checkSampling,
  kernelSampling,
  samplingCuts,
  samplingFields,
  samplingFieldShapes,
  samplingNames,
  samplingOfFields,
  samplingParameters,
  supportedSampling,
} from "./index.ts";
import type { SamplingBackEnd } from "../sampling.ts";
import { unsupportedSampling } from "./sampling-fields.ts";
import { actingSampling } from "../testing/index.ts";

const all = { temperature: 0.7, topP: 0.9, topK: 20, minP: 0.05 };
const backEnds = Object.values(samplingParameters).flatMap(({ takenBy }) => takenBy);

test("servers get the fields that they know, in an order that is always the same", () => {
  const sent = (backEnd: SamplingBackEnd): string => JSON.stringify(samplingFields(backEnd, all, "asked"));
  expect(sent("openai")).toBe('{"temperature":0.7,"top_p":0.9}');
  expect(sent("vllm")).toBe('{"temperature":0.7,"top_p":0.9,"top_k":20,"min_p":0.05}');
  expect(sent("tinker")).toBe('{"temperature":0.7,"top_p":0.9,"top_k":20}');
  expect(sent("ai-sdk")).toBe('{"temperature":0.7,"topP":0.9,"topK":20}');
});

test("an absent option is written as its neutral value", () => {
  expect(samplingFields("vllm", { temperature: 1 }, "all")).toEqual({ temperature: 1, top_p: 1, top_k: 0, min_p: 0 });
  expect(samplingFields("sglang", { temperature: 1 }, "all")["top_k"]).toBe(-1);
});

test.each(backEnds)("fields of %s come back as the sampling that they ask for", (backEnd) => {
  const supports = supportedSampling(backEnd);
  for (const [name, sampling] of actingSampling()) {
    const isTaken = supports.includes(name);
    expect(unsupportedSampling(sampling, supports)).toBe(isTaken ? null : name);
    for (const written of ["asked", "all"] as const)
      expect(samplingOfFields(backEnd, samplingFields(backEnd, sampling, written))).toEqual(
        isTaken ? sampling : { temperature: 1 },
      );
  }
});

test("a server's fields can declare that nothing is cut", () => {
  expect(samplingFieldShapes("openai-extended")["top_k"]).toMatchObject({ integer: true, min: -1 });
  expect(samplingOfFields("openai-extended", { top_k: 0, top_p: 1, min_p: 0 })).toEqual({ temperature: 1 });
});

describe("checkSampling", () => {
  const server = { name: "the server", supports: ["temperature"] } as const;

  test("names the parameter, its place, and what to do", () => {
    expect(() => checkSampling({ temperature: 1, topK: 3 }, server, { place: "train.sampling" })).toFailWith(
      "config_invalid",
      "train.sampling.topK: the server does not support it; leave it out",
      { key: "train.sampling.topK" },
    );
    expect(() => checkSampling({ temperature: 1, minP: 0.1 }, server, { request: 2 })).toFailWith("input_invalid", {
      key: "minP",
      request: 2,
      reason: "minP: the server does not support it; leave it out",
    });
  });

  test("a neutral value is accepted", () => {
    checkSampling({ temperature: 1, topP: 1, minP: 0 }, server);
  });
});

test("cuts and columns of devices are in the order of their steps", () => {
  expect(samplingCuts(all)).toEqual(["topK", "topP", "minP"]);
  expect(samplingCuts({ temperature: 0.5, topP: 1, minP: 0 })).toEqual([]);
  expect(kernelSampling).toEqual(["temperature", "topK", "topP", "minP"]);
  expect(new Set(samplingNames.map((name) => samplingParameters[name].step)).size).toBe(samplingNames.length);
});
