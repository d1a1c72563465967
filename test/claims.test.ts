import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "./workspace.ts";

test("every claim of doing something as another project does names an existing test", () => {
  const { stdout, stderr } = spawnSync(process.execPath, ["scripts/claims.mjs", "--json"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 24,
  });
  const { claims, untested, stale } = JSON.parse(stdout || "{}") as Record<string, readonly unknown[] | undefined>;
  expect([untested, stale], stderr).toEqual([[], []]);
  expect(claims?.length).toBeGreaterThan(8);
});
