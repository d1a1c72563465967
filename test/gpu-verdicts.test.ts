import { expect, test } from "vitest";
import { verdicts, type Found } from "../bench/src/gpu/verdicts.ts";

const graphs = (graph: number, { failures = [] as string[], differing = 0 } = {}): Found[] => [
  { section: "graphs", of: "conformance", failures },
  { section: "graphs", of: "same replies", rows: 64, differing },
  { section: "graphs", of: "decode step", rows: 64, what: "launches", ms: 11 },
  { section: "graphs", of: "decode step", rows: 64, what: "graphs", ms: graph },
];
const twice = (deterministic: boolean, same: boolean): Found => ({ section: "twice", deterministic, same });
const says = (rows: readonly Found[]): string[] => verdicts(rows).map((each) => each.says);

test("what was not found leaves a default open", () => {
  expect(says([])).toEqual(["open", "open"]);
  expect(says([{ section: "twice", failed: "no GPU" }])[1]).toBe("open");
});

test("graphs go on where replies are the same and every step is faster", () => {
  expect(says(graphs(3))[0]).toBe("change");
  expect(says(graphs(12))[0]).toBe("keep");
  expect(says(graphs(3, { differing: 1 }))[0]).toBe("keep");
  expect(says(graphs(3, { failures: ["lane"] }))[0]).toBe("keep");
});

test("determinism that does not hold is a defect, not a default", () => {
  expect(says([twice(true, true), twice(false, false)])[1]).toBe("keep");
  const [, broken] = verdicts([twice(true, false), twice(false, false)]);
  expect(broken).toMatchObject({ says: "open", why: "two runs have other bits with it, and other without" });
});
