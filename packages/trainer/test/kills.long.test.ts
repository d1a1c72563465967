import { expect, test } from "vitest";
import { killedAt, manners, reference, resumesAgain } from "./killed-runs.ts";

// Kills in one of three ways per call; nightly in all three.
test("a run killed at every file-system call resumes to the files of an uninterrupted run", async () => {
  const { expected, calls } = await reference();
  expect(calls).toBeGreaterThan(45);
  const outcomes: Record<string, number> = {};
  for (let killAt = 1; killAt <= calls; killAt++) {
    const { outcome, found } = await killedAt(killAt, manners[killAt % manners.length] ?? {});
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    expect([killAt, found ?? expected]).toEqual([killAt, expected]);
  }
  expect(outcomes["resumed"]).toBeGreaterThan(25);
  expect(outcomes["run_missing"]).toBeGreaterThan(3);
});

test("a resume killed at every third call resumes again", () => resumesAgain(3));
