import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recordingTerminal } from "../cli/recording-terminal.ts";
import { main } from "../main.ts";

/** A shorter run of the preset, in a folder. */
const words = (run: string, steps: number): string[] => [
  ...[
    "train",
    "preset:agentpo-hint",
    `train.steps=${steps}`,
    "train.evaluation.problems=200",
    "train.evaluation.every=0",
  ],
  ...["--run", run, "--json"],
];

test("a trained hint lifts an actor that does not learn, which stays as it was", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "laconic-agentpo-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const terminal = recordingTerminal();
  expect(await main(words(join(folder, "run"), 16), { terminal })).toBe(0);
  const { before, after } = JSON.parse(terminal.out.at(-1) ?? "{}") as Record<"before" | "after", { accuracy: number }>;
  expect(before.accuracy).toBeLessThan(0.7);
  expect(after.accuracy).toBeGreaterThan(before.accuracy + 0.15);
  // Evaluated from its checkpoint, the actor is again that of the beginning.
  const again = recordingTerminal();
  expect(await main(["eval", join(folder, "run"), "--problems", "200", "--json"], { terminal: again })).toBe(0);
  expect((JSON.parse(again.out.at(-1) ?? "{}") as { accuracy: number }).accuracy).toBeCloseTo(after.accuracy, 1);
});
