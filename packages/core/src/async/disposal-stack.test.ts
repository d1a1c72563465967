import { expect, test } from "vitest";
import { disposing } from "./disposal-stack.ts";

test("resources close in reverse order, also after a failure", async () => {
  const closed: string[] = [];
  const work = disposing(async (closing) => {
    closing.defer(() => closed.push("first"));
    closing.defer(() => Promise.reject(new Error("stuck")));
    closing.defer(async () => closed.push("last"));
    return 1;
  });
  await expect(work).rejects.toThrow("stuck");
  expect(closed).toEqual(["last", "first"]);
});

test("a failure to close hides no failure of the work", async () => {
  const work = disposing(async (closing) => {
    closing.defer(() => Promise.reject(new Error("stuck")));
    throw new Error("broken");
  });
  await expect(work).rejects.toThrow("broken");
});
