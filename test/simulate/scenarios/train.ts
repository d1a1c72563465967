import type { Random } from "../../../packages/core/src/index.ts";
import {
  expectThat,
  filesOf,
  hasRotted,
  latestLoads,
  looked,
  runFolder,
  untilDone,
  type Scenario,
} from "../scenario.ts";
import { expectEqual, expectWhole, undisturbedFiles } from "../compare-runs.ts";
import { begin, drawVariant, episodesPerGroup, jobOf, steps, trainOnce } from "../training.ts";
import type { World } from "../world.ts";

/** Of two turns, with as many replies at each node as a group has episodes. */
const pathsPerTree = episodesPerGroup ** 2;

const trainScenario = (isAsynchronous: boolean): Scenario => ({
  title: isAsynchronous ? "an asynchronous run, resumed until it is done" : "a run, resumed until it is done",
  share: 4,
  faults: {
    kinds: ["kill", "kill", "power", "power", "error", "full", "slow", "jump", "signal", "memory"],
    events: isAsynchronous ? 900 : 500,
    rots: ["checkpoints/step-", "metrics.jsonl", "episodes.jsonl.gz", "evaluations.jsonl"],
  },
  async play(world: World, random: Random) {
    const variant = drawVariant(random, isAsynchronous);
    begin(world.disk);
    const acknowledged = { step: 0 };
    const checks: Promise<void>[] = [];
    const result = await untilDone(world, () => trainOnce(world, jobOf(world, variant), acknowledged), {
      between: () => void (hasRotted(world) || checks.push(latestLoads(world.disk, runFolder))),
      refused: ({ code }) => hasRotted(world) && ["checkpoint_corrupt", "checkpoint_mismatch"].includes(code),
    });
    await Promise.all(checks);
    if (result === null) return;
    expectThat(result.steps === steps && !result.interrupted, `the run ended after ${result.steps} steps`);
    if (isAsynchronous && !hasRotted(world))
      await looked(world, () => expectWhole(world.disk, variant.policies === "tree" ? pathsPerTree : episodesPerGroup));
    else if (!hasRotted(world)) {
      // What an interrupted one saved between its regular checkpoints stays while no evaluation is better.
      const others = world.faults.met.some(({ kind }) => kind === "signal") ? ["checkpoints", "opponents"] : [];
      expectEqual(filesOf(world.disk, runFolder), await undisturbedFiles(variant), others);
    }
  },
});

export const trainSync: Scenario = trainScenario(false);
export const trainAsync: Scenario = trainScenario(true);
