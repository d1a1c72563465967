import { LaconicError, type Random } from "../../../packages/core/src/index.ts";
import { parseTrainConfig } from "../../../packages/trainer/src/settings/parse-train-config.ts";
import { drawSettings } from "../any-settings.ts";
import { expectEqual, isEndOfRun, trainToEnd, undisturbedRun, type RunPlan } from "../compare-runs.ts";
import { expectGroupsOnce, expectRowsOfRecords, expectSameEvaluation } from "../records.ts";
import { expectThat, filesOf, hasMet, hasRotted, latestLoads, looked, runFolder, untilDone } from "../scenario.ts";
import type { Files, Scenario } from "../scenario.ts";
import { begin, drawVariant, jobOf, partsOf, steps, trainIn, trainOnce, type Variant } from "../training.ts";
import type { World } from "../world.ts";

interface Plan extends RunPlan {
  readonly other: Variant;
  /** Files of the run without faults; null if its order depends on the clock. */
  readonly expected: Files | null;
}

/** Plan with settings that a run accepts. */
async function drawPlan(random: Random, isAsynchronous: boolean): Promise<Plan> {
  for (;;) {
    const variant = drawVariant(random, isAsynchronous);
    const moreSteps = random.uniform() < 0.3 ? 1 + random.integer(2) : 0;
    const settings = otherSettings(random, variant);
    const plan = { variant, moreSteps, other: { ...variant, settings } };
    if (isAsynchronous) return { ...plan, expected: null };
    const expected = await undisturbedRun({ variant, moreSteps });
    if (expected) return { ...plan, expected };
  }
}

function otherSettings(random: Random, variant: Variant): Variant["settings"] {
  const text = (settings: Variant["settings"]): string => {
    const { steps: _, ...fixed } = parseTrainConfig(settings);
    return JSON.stringify(fixed);
  };
  for (;;) {
    const names = Object.keys(parseTrainConfig(variant.settings));
    const options = { names: [random.pick(names)], goesByClock: false };
    const drawn = drawSettings(random, variant.settings, partsOf(variant), options);
    if (text(drawn) !== text(variant.settings)) return drawn;
  }
}

/** Checks that continuing with other settings is refused by name and leaves the folder unchanged. */
async function expectOthersRefused(world: World, { other }: Plan): Promise<void> {
  const before = filesOf(world.disk, runFolder);
  const ended = await world.start(async (program) => {
    world.calm();
    return trainIn(world, program, jobOf(world, other), { step: 0 });
  });
  const code = ended.how === "failed" && LaconicError.is(ended.error) ? ended.error.code : ended.how;
  expectThat(code === "checkpoint_mismatch", `a run of other settings is ${code}, and not refused`);
  expectEqual(filesOf(world.disk, runFolder), before, ["manifest.json"]);
}

const trainScenario = (isAsynchronous: boolean): Scenario<Plan> => ({
  title: `${isAsynchronous ? "an asynchronous" : "a"} run of any settings, resumed until it is done, and second commands on its folder`,
  share: 4,
  faults: {
    kinds: ["kill", "kill", "power", "power", "error", "full", "slow", "jump", "signal", "memory"],
    events: isAsynchronous ? 900 : 600,
    rots: ["checkpoints/step-", "metrics.jsonl", "episodes.jsonl.gz", "evaluations.jsonl"],
  },
  plan: (random) => drawPlan(random, isAsynchronous),
  async play(world: World, _random: Random, plan: Plan) {
    const { variant, moreSteps, expected } = plan;
    begin(world.disk);
    const checks: Promise<void>[] = [];
    const result = await trainToEnd(
      world,
      plan,
      { step: 0 },
      {
        between: () => void (hasRotted(world) || checks.push(latestLoads(world.disk, runFolder))),
        refused: (error) =>
          (hasRotted(world) && ["checkpoint_corrupt", "checkpoint_mismatch"].includes(error.code)) ||
          (isAsynchronous && isEndOfRun(world, error)),
      },
    );
    await Promise.all(checks);
    if (result === null) return;
    expectThat(!result.interrupted, `the run ended after ${result.steps} steps`);
    if (hasRotted(world)) return;
    const { onAgentError } = parseTrainConfig(variant.settings);
    // A device without memory fails an episode, which an undisturbed run has.
    const isOtherwise = onAgentError === "end" && hasMet(world, "memory");
    // Checkpoints saved by interrupted processes stay until an evaluation is better.
    const others = hasMet(world, "signal") ? ["checkpoints", "opponents"] : [];
    if (expected && !isOtherwise) expectEqual(filesOf(world.disk, runFolder), expected, others);
    await looked(world, async () => {
      await expectRowsOfRecords(variant, result.steps, [steps, steps + moreSteps]);
      await expectGroupsOnce(variant);
      await expectSameEvaluation(variant);
    });
    await expectOthersRefused(world, plan);
    const again = { ...variant, settings: { ...variant.settings, steps: steps + moreSteps } };
    const before = filesOf(world.disk, runFolder);
    await untilDone(world, () => trainOnce(world, jobOf(world, again), { step: 0 }));
    expectEqual(filesOf(world.disk, runFolder), before);
  },
});

export const trainSync: Scenario = trainScenario(false);
export const trainAsync: Scenario = trainScenario(true);
