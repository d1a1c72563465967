import { expect, test } from "vitest";
import { evaluationWarnings } from "./evaluation-warnings.ts";

type Parameters = globalThis.Parameters<typeof evaluationWarnings>;

const played = (finishReasons: readonly string[], stopReason = "answered") => ({
  episode: { stopReason, utterances: finishReasons.map((finishReason) => ({ finishReason })) },
});

test.each([
  ["some replies that end", 8, 0, [played(["length", "stop"]), played(["length"])], null],
  ["cut replies that are right, such as answers of a fixed length", 8, 0.9, [played(["length"])], null],
  [
    "cut replies that are wrong",
    8,
    0,
    [played(["length"]), played(["length", "length"])],
    "all replies of an evaluation were cut",
  ],
  ["an agent's error", 8, 0.9, [played(["stop"], "error")], "agent's error"],
  ["no problems", 0, 0, [], "the evaluation has no problems"],
] as const)("an evaluation with %s", (_, problems, accuracy, episodes, words) => {
  const found = evaluationWarnings({ problems, accuracy } as Parameters[0], episodes as unknown as Parameters[1]);
  expect(found).toHaveLength(words === null ? 0 : 1);
  expect(found.join("\n")).toContain(words ?? "");
});
