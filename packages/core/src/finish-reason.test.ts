import { expect, test } from "vitest";
import { isCutShort } from "./index.ts";
import { finishReasons } from "./wire/index.ts";

test("a reply is cut short by a limit and by an unknown end alone", () => {
  expect(finishReasons.filter((reason) => isCutShort(reason))).toEqual(["length", "unknown"]);
});
