import { expect, test } from "vitest";
import { serverRecord } from "./server-record.ts";

test("a record of a run that was probed before the optimizer was can still be read", () => {
  const stored = {
    baseModel: "tiny",
    contextLength: 128,
    reduction: { sequences: "sum", positions: "sum" },
    deduplicates: true,
    promptLogProbs: "null-first",
    sampledAt: "one",
    samplers: "frozen",
    gradNorm: null,
    clips: true,
    severalModels: true,
  };
  expect(serverRecord.parse(stored)).toEqual({ ...stored, optimizer: "asked", clipsItself: false });
});
