import { expect, test } from "vitest";
import { killedAgainAt, killedAt, manners, reference } from "./killed-runs.ts";

test.each(manners)("a run killed at every file-system call, %j, resumes to the uninterrupted files", async (manner) => {
  const { expected, calls } = await reference();
  for (let killAt = 1; killAt <= calls; killAt++) {
    const { found } = await killedAt(killAt, manner);
    expect([killAt, found ?? expected]).toEqual([killAt, expected]);
  }
});

test("a resume killed at every call resumes again", async () => {
  const { expected } = await reference();
  let killAt = 1;
  for (let isOver = false; !isOver; killAt += 1) {
    const { again, found } = await killedAgainAt(killAt);
    isOver = !again;
    expect([killAt, found]).toEqual([killAt, expected]);
  }
  expect(killAt).toBeGreaterThan(40);
});
