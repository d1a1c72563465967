import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { taskCases } from "@laconic/tasks/testing";
import task from "./task.ts";

// What every task owes a trainer: distinct problems, none of them kept for the test, grades from 0 to 1, a team that plays to the end.
for (const { name, run } of taskCases) test(name, () => run(() => ({ task, solve: ({ gold }) => gold })));

test("a short training solves more problems with fewer tokens", () => {
  const folder = mkdtempSync(join(tmpdir(), "laconic-"));
  try {
    const settings = "train.steps=16 train.evaluation.every=0 train.evaluation.problems=200";
    const result = execSync(`npx @laconic/cli train run.config.ts ${settings} --run "${join(folder, "run")}" --json`);
    const { before, after } = JSON.parse(String(result)) as Record<"before" | "after", Measured>;
    assert.ok(after.accuracy > before.accuracy + 0.3, `accuracy ${before.accuracy} -> ${after.accuracy}`);
    assert.ok(after.tokens < before.tokens, `tokens ${before.tokens} -> ${after.tokens}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

interface Measured {
  readonly accuracy: number;
  readonly tokens: number;
}
