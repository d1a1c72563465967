import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Problem } from "@laconic/core";
import { taskCases } from "@laconic/tasks/testing";
import task from "./task.ts";

// What every task owes a trainer: distinct problems, none of them kept for the test, grades from 0 to 1, a team that plays to the end.
// A task whose rewards need no gold answer has none to try.
const subject = task.testProblems.every(({ gold }) => gold === "")
  ? { task }
  : { task, solve: ({ gold }: Problem) => gold };
for (const { name, run } of taskCases) test(name, () => run(() => subject));

test("examples teach a model that knows nothing, and a short training follows", () => {
  const folder = mkdtempSync(join(tmpdir(), "laconic-"));
  try {
    const settings = "warmStart.steps=60 train.steps=2 train.evaluation.every=0 train.evaluation.problems=40";
    const result = execSync(`npx @laconic/cli train run.config.ts ${settings} --run "${join(folder, "run")}" --json`);
    const { before, afterWarmStart, after } = JSON.parse(String(result)) as Record<string, Measured>;
    assert.ok(before && afterWarmStart);
    // Moves that keep the rules make a game longer.
    const ends = afterWarmStart.tokens < before.tokens;
    assert.ok(ends || afterWarmStart.accuracy > before.accuracy, "replies end where examples end, or more are right");
    assert.ok(after && after.accuracy >= 0 && after.accuracy <= 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

interface Measured {
  readonly accuracy: number;
  readonly tokens: number;
}
