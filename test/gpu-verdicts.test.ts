import { expect, test } from "vitest";
import { verdicts, type Found } from "../bench/src/gpu/verdicts.ts";

const conformance = (failed: number): Found => ({ section: "conformance", suite: "kernels, own programs", failed });
const update = (programs: boolean, seconds: number, backend = "libtorch 2.14"): Found => ({
  section: "update",
  programs,
  seconds,
  backend,
});
const graphs = (graph: number, { failures = [] as string[], differing = 0 } = {}): Found[] => [
  { section: "graphs", of: "conformance", failures },
  { section: "graphs", of: "same replies", rows: 64, differing },
  { section: "graphs", of: "decode step", rows: 64, what: "launches", ms: 11 },
  { section: "graphs", of: "decode step", rows: 64, what: "graphs", ms: graph },
];
const twice = (deterministic: boolean, same: boolean): Found => ({ section: "twice", deterministic, same });
const says = (rows: readonly Found[]): string[] => verdicts(rows).map((each) => each.says);

test("what was not found leaves a default open", () => {
  expect(says([])).toEqual(["open", "open", "open"]);
  expect(says([conformance(0), update(true, 0.2)])[0]).toBe("open");
  expect(says([{ section: "twice", failed: "no GPU" }])[2]).toBe("open");
});

test("programs stay on where all cases pass and an update is no slower", () => {
  expect(says([conformance(0), update(false, 0.28), update(true, 0.2)])[0]).toBe("keep");
  expect(says([conformance(1), update(false, 0.28), update(true, 0.2)])[0]).toBe("change");
  expect(says([conformance(0), update(false, 0.28), update(true, 0.3)])[0]).toBe("change");
  const [verdict] = verdicts([
    conformance(0),
    update(false, 1),
    update(true, 1, "libtorch 2.14, own sums; not own head (x)"),
  ]);
  expect(verdict?.why).toContain("left out at the start: head (x)");
});

test("graphs go on where replies are the same and every step is faster", () => {
  expect(says(graphs(3))[1]).toBe("change");
  expect(says(graphs(12))[1]).toBe("keep");
  expect(says(graphs(3, { differing: 1 }))[1]).toBe("keep");
  expect(says(graphs(3, { failures: ["lane"] }))[1]).toBe("keep");
});

test("determinism that does not hold is a defect, not a default", () => {
  expect(says([twice(true, true), twice(false, false)])[2]).toBe("keep");
  const [, , broken] = verdicts([twice(true, false), twice(false, false)]);
  expect(broken).toMatchObject({ says: "open", why: "two runs have other bits with it, and other without" });
});
