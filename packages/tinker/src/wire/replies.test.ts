import { readFinishReason } from "@laconic/core/wire";
import { recordedReplies } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { replies } from "./replies.ts";

test("takes the two reasons of the protocol, and no other that servers have", () => {
  const reasons = recordedReplies.flatMap(({ body }) => {
    const { choices } = body as { readonly choices?: readonly { readonly finish_reason?: unknown }[] };
    return Array.isArray(choices) ? choices.map((choice) => choice.finish_reason) : [];
  });
  const taken = [...new Set(reasons)].filter((reason) => {
    const sequences = [{ tokens: [1], logprobs: [-1], stop_reason: reason }];
    return replies.sampled.safeParse({ sequences }).success;
  });
  expect(taken.map((reason) => readFinishReason(reason))).toEqual(["stop", "length"]);
});
