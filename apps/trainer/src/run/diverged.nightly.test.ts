import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, laconic } from "../../test/laconic.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

const timeout = 120_000;
const folder = sharedFolder();

const small = cli`device=wasm workers=1 train.steps=20 train.problemsPerStep=8 train.checkpoint.every=2
  train.evaluation.every=2 train.evaluation.problems=20`;
const rate = "train.optimizer.learningRate.peak";

test.each(["1e2", "1e4", "1e38"])(
  "a learning rate of %s ends training with the cause and code 1",
  { timeout },
  async (peak) => {
    const run = join(folder, `rate-${peak}`);
    const { code, err } = await laconic("train", "preset:relay-writers", "--run", run, ...small, `${rate}=${peak}`);
    expect(code, err).toBe(1);
    expect(err).toMatch(
      /laconic: step \d+: .* The likely cause is the learning rate \(optimizer\.learningRate\.peak is /u,
    );
    expect(err).toMatch(
      /The best checkpoint is checkpoints\/step-\d+ |No checkpoint is better than the initial weights/u,
    );
    expect(err).toContain("look at it: laconic view");
    expect((await laconic("view", "ls", folder)).err).toMatch(
      /stopped: .*: step \d+: .* The likely cause is the learning rate/u,
    );
  },
);

test("a sweep continues with the other variants and exits with code 1", { timeout }, async () => {
  const words = ["sweep", "preset:relay-writers", ...small.filter((word) => !word.includes("steps"))];
  const out = join(folder, "sweep");
  const { code, err } = await laconic(...words, "train.steps=4", `${rate}=1e2,3e-4`, "--out", out);
  expect(code, err).toBe(1);
  expect(err).toContain("1 of 2 runs diverged, and have no result: peak-1e2, seed 0: step 3: training diverged");
  const { out: table } = await laconic("view", "ls", join(out, "runs"));
  expect(table).toMatch(/peak-3e-4-0\s+done\s+4\/4/u);
});
