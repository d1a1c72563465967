import { expect, test } from "vitest";
import { readFinishReason } from "./index.ts";

test.each([
  ["stop", ["stop", "STOP", "FinishReason.STOP", "endTurn", "end-turn", "tool_calls", "REASON_STOP", { type: "stop" }]],
  [
    "length",
    ["length", "MAX_TOKENS", "model_length", "REASON_MAX_CONTEXT", "finish_reason_max_tokens", { type: "length" }],
  ],
  ["refusal", ["content_filter", "content-filter", "content_filter: RECITATION", "SAFETY", "guardrail_intervened"]],
  ["broken", ["error", "abort", "insufficient_system_resource", "ERROR", { type: "abort", message: "stop" }]],
  ["unknown", [null, undefined, "", 3, true, {}, [], "stopped?", "constructor", "__proto__", "pause_turn", ["stop"]]],
  ["unknown", ["FINISH_REASON_UNSPECIFIED", "OTHER", "load", "function_call_filter: STOP", "s".repeat(1e6)]],
] as const)("reads as %s: %j", (reading, input) => {
  expect(input.map((item) => readFinishReason(item))).toEqual(input.map(() => reading));
});
