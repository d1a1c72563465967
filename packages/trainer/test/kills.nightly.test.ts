import { expect, test } from "vitest";
import { killedAt, manners, reference, resumesAgain } from "./killed-runs.ts";

test.each(manners)("a run killed at every file-system call, %j, resumes to the uninterrupted files", async (manner) => {
  const { expected, calls } = await reference();
  for (let killAt = 1; killAt <= calls; killAt++) {
    const { found } = await killedAt(killAt, manner);
    expect([killAt, found ?? expected]).toEqual([killAt, expected]);
  }
});

test("a resume killed at every call resumes again", () => resumesAgain(1));
