import { expect, test } from "vitest";
import { closeShared, openedOnce } from "./shared-values.ts";

test("what a function makes is made once for a command, and closed once, at its end", async () => {
  const said: string[] = [];
  const open = async () => {
    said.push("open");
    return { close: () => void said.push("close") };
  };
  const first = await openedOnce("task", "own.ts", open);
  expect(await openedOnce("task", "own.ts", open)).toBe(first);
  expect(said).toEqual(["open"]);
  expect(await closeShared(() => undefined)).toBe(true);
  expect(said).toEqual(["open", "close"]);
  await openedOnce("task", "own.ts", open);
  await closeShared(() => undefined);
  expect(said).toEqual(["open", "close", "open", "close"]);
});

test("one that could not be opened is opened again", async () => {
  await expect(openedOnce("bad", "own.ts", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await openedOnce("bad", "own.ts", async () => ({ good: true }))).toEqual({ good: true });
  expect(await closeShared(() => undefined)).toBe(false);
});
