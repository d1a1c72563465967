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

test("runs are listed within 80 columns: device, warnings and the start of the name shrink in this order", () => {
  const short = runLines([run("first")], "/runs", 90);
  expect(short.join("\n")).toContain("DEVICE");
  expect(short[1]).toBe("first  done   200/200  93.5 % -> 97.3 %  60.8 -> 14.1  5 m 42 s  wasm    3");
  const long = runLines([run("first"), run(`sweep/${"budget-".repeat(9)}seed-1`)], "/runs", 80);
  for (const line of long) expect(line.length).toBeLessThanOrEqual(80);
  expect(long[0]).not.toMatch(/DEVICE|WARNINGS/u);
  expect(long[2]).toMatch(/^…[\w-]+seed-1 {2}done/u);
  expect(runLines([run("x".repeat(99))], "/runs")[1]).toContain("x".repeat(99));
});
