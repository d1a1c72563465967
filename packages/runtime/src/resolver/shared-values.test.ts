import { expect, test } from "vitest";
import { openedOnce, sharingValues } from "./shared-values.ts";

const silent = (): void => undefined;

test("a function makes its value once per command, and the value closes once at the end", async () => {
  const replies: string[] = [];
  const open = async () => {
    replies.push("open");
    return { close: () => void replies.push("close") };
  };
  await sharingValues(silent, async () => {
    const first = await openedOnce("task", "own.ts", open);
    await sharingValues(silent, async () => {
      expect(await openedOnce("task", "own.ts", open)).toBe(first);
    });
    expect(replies).toEqual(["open"]);
  });
  expect(replies).toEqual(["open", "close"]);
  await sharingValues(silent, () => openedOnce("task", "own.ts", open));
  expect(replies).toEqual(["open", "close", "open", "close"]);
});

test("two commands at the same time share nothing", async () => {
  const make = async () => ({});
  const opened = await Promise.all([1, 2].map(() => sharingValues(silent, () => openedOnce("task", "own.ts", make))));
  expect(opened[0]).not.toBe(opened[1]);
});

test("a value that failed to open opens again", async () => {
  await sharingValues(silent, async () => {
    await expect(openedOnce("bad", "own.ts", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await openedOnce("bad", "own.ts", async () => ({ good: true }))).toEqual({ good: true });
  });
});
