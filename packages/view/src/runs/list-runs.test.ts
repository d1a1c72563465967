import { expect, test } from "vitest";
import { runLines, type RunSummary } from "./list-runs.ts";

const run = (name: string): RunSummary =>
  ({
    folder: `/runs/${name}`,
    name,
    state: "done",
    step: 200,
    plannedSteps: 200,
    before: { accuracy: 0.935, tokens: 60.8 },
    after: { accuracy: 0.973, tokens: 14.1 },
    warmStart: null,
    seconds: 342,
    device: "wasm",
    warnings: 3,
  }) as unknown as RunSummary;

test("runs are listed one per line, in columns", () => {
  const lines = runLines([run("first"), run("x".repeat(99))], "/runs");
  expect(lines[0]).toMatch(/^RUN +STATE +STEPS +ACCURACY +TOKENS +TIME +DEVICE +WARNINGS$/u);
  expect(lines[1]?.replaceAll(/ {2,}/gu, " | ")).toBe(
    "first | done | 200/200 | 93.5 % -> 97.3 % | 60.8 -> 14.1 | 5 m 42 s | wasm | 3",
  );
  expect(lines[2]).toContain("x".repeat(99));
});
