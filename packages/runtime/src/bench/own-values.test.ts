import { expect, test } from "vitest";
import { withoutFiles } from "./own-values.ts";

test("a run of NAME=RUN is a folder, also where it is called like a file", () => {
  const runs = ["mine=runs/quick.ts", "mine=./runs/quick.ts", "mine=/tmp/a.mjs"];
  const files = ["./method.ts", "method.ts", "method.ts#first", "./a=b.ts", "folder/a=b.ts"];
  expect(withoutFiles(["cot", ...runs, ...files])).toEqual(["cot", ...runs]);
});
