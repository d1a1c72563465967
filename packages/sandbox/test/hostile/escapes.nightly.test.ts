import { expect, test } from "vitest";
import { anyonesPython, obstacle, printedBy, users } from "../as-user.ts";
import { noBareRuns, runBare } from "./run-bare.ts";
import type { Tried } from "./try-escapes.ts";

const script = new URL("try-escapes.ts", import.meta.url);

test.for(["wasi", "bubblewrap"].flatMap((kind) => users.map((user) => [kind, ...user] as const)))(
  "no program escapes %s, started by %s, with longer attempts",
  async ([kind, , user], { skip }) => {
    const reason = obstacle(user, script);
    if (reason !== null) return skip(reason);
    const result = await printedBy<Tried>(user, script, [kind, "all", anyonesPython]);
    if ("missing" in result) return skip(result.missing);
    expect(result).toMatchObject({ user, problems: [] });
    expect(result.tried).toBeGreaterThan(100);
  },
);

test.skipIf(noBareRuns)("the canary detects the programs without a sandbox", async () => {
  const { tried, unnoticed } = await runBare(1);
  expect(unnoticed).toEqual([]);
  expect(tried).toBeGreaterThan(50);
});
