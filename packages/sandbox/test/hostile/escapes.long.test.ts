import { expect, test } from "vitest";
import { anyonesPython, obstacle, printedBy, users } from "../as-user.ts";
import { noBareRuns, runBare } from "./run-bare.ts";
import { escapes } from "./sections.ts";
import type { Tried } from "./try-escapes.ts";

const script = new URL("try-escapes.ts", import.meta.url);

test("has at least a hundred different escapes", () => {
  const [names, programs] = [escapes().map(({ name }) => name), escapes().map(({ program }) => program)];
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(programs).size).toBe(programs.length);
  expect(escapes().filter(({ isCall }) => !isCall).length).toBeGreaterThan(100);
});

test.skipIf(noBareRuns)("the canary detects some of the programs without a sandbox", async () => {
  const { tried, unnoticed } = await runBare(10);
  expect(unnoticed).toEqual([]);
  expect(tried).toBeGreaterThan(4);
});

/** Who is not root: that root is kept in as well is tried at night. */
const anybody = users.slice(1);

test.for(["wasi", "bubblewrap"].flatMap((kind) => anybody.map((user) => [kind, ...user] as const)))(
  "no program escapes %s, started by %s",
  async ([kind, , user], { skip }) => {
    const reason = obstacle(user, script);
    if (reason !== null) return skip(reason);
    const result = await printedBy<Tried>(user, script, [kind, "quick", anyonesPython]);
    if ("missing" in result) return skip(result.missing);
    expect(result).toMatchObject({ user, problems: [] });
    expect(result.tried).toBeGreaterThan(75);
  },
);
