import { expect, test } from "vitest";
import { verdicts, type Found } from "../bench/src/gpu/verdicts.ts";

const twice = (deterministic: boolean, same: boolean): Found => ({ section: "twice", deterministic, same });
const says = (rows: readonly Found[]): string[] => verdicts(rows).map((each) => each.says);

test("a missing measurement leaves a default open", () => {
  expect(says([])).toEqual(["open"]);
  expect(says([{ section: "twice", failed: "no GPU" }])).toEqual(["open"]);
});

test("broken determinism is a defect, not a default", () => {
  expect(says([twice(true, true), twice(false, false)])).toEqual(["keep"]);
  const [broken] = verdicts([twice(true, false), twice(false, false)]);
  expect(broken).toMatchObject({ says: "open", why: "two runs have other bits with it, and other without" });
});
