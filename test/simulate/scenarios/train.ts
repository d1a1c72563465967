import type { Random } from "../../../packages/core/src/index.ts";
import { timerOf } from "../../../packages/rewards/src/index.ts";
import { parseTrainConfig } from "../../../packages/trainer/src/config-schema.ts";
import type { TrainingParts } from "../../../packages/trainer/src/parts.ts";
import { eachEpisode, folderSource } from "../../../packages/trainer/src/reading/index.ts";
import { openRun } from "../../../packages/trainer/src/run/run-directory.ts";
import { unequalFiles } from "../../../packages/trainer/src/run/run-files.ts";
import { tinyPairParts, tinyParts, tinySettings } from "../../../packages/trainer/src/testing/index.ts";
import { train, type TrainResult } from "../../../packages/trainer/src/train.ts";
import { slowly } from "../../../packages/trainer/test/slow-policy.ts";
import { diskRoot, type Disk } from "../disk.ts";
import { onMachine } from "../machine.ts";
import {
  expectThat,
  filesOf,
  hasMisread,
  hasRotted,
  latestLoads,
  looked,
  rowsOf,
  runFolder,
  untilDone,
  type Scenario,
} from "../scenario.ts";
import { Violation, World, type Ended, type Program } from "../world.ts";

/** What differs from seed to seed. */
export interface Variant {
  readonly policies: "one" | "two";
  readonly checkpointEvery: 1 | 2;
  readonly isAsynchronous: boolean;
}

/** Of every run. */
export const steps = 4;
const groupsPerStep = 2;
const episodesPerGroup = 2;
/** Of what went wrong, not of what was learned: an undisturbed run has no such rows. */
const disturbedFiles: readonly string[] = ["warnings.jsonl"];

/** What checkpoints acknowledged. */
export interface Acknowledged {
  step: number;
}

const settingsOf = ({ policies, checkpointEvery, isAsynchronous }: Variant): Readonly<Record<string, unknown>> => ({
  ...tinySettings,
  steps,
  problemsPerStep: groupsPerStep,
  episodesPerProblem: episodesPerGroup,
  ...(policies === "two" && { prices: {} }),
  evaluation: { every: 2, problems: 3, transcripts: 2 },
  checkpoint: { every: checkpointEvery, keep: 2 },
  ...(isAsynchronous && { prices: {}, asynchronous: { maxLag: 1, stale: "drop", retries: 1 } }),
});

/** Problems that are known apart. */
function partsOf({ policies }: Variant): TrainingParts {
  const { task, ...rest } = policies === "two" ? tinyPairParts() : tinyParts();
  const problems: TrainingParts["task"]["problems"] = (random, count) => {
    const name = random.split("name").integer(1e9);
    return task.problems(random, count).map((each, i) => ({ ...each, id: `${name}-${i}` }));
  };
  return { ...rest, task: { ...task, problems } };
}

/** One process that trains, or goes on training. @param training - hears the program that has the folder, and null when it gives it back */
export function trainOnce(
  world: World,
  variant: Variant,
  acknowledged: Acknowledged,
  training: (program: Program | null) => void = () => undefined,
): Promise<Ended<TrainResult>> {
  return world.start(async (program) => {
    const config = parseTrainConfig(settingsOf(variant));
    let before = acknowledged.step;
    let isFirst = true;
    const run = await openRun({
      directory: runFolder,
      config: { ...config },
      environment: { machine: "simulated" },
      keepCheckpoints: config.checkpoint.keep,
      checkpointEvery: config.checkpoint.every,
      resume: "where-possible",
      now: () => performance.now(),
      processes: { pid: program.pid, host: "simulated", isAlive: (pid) => world.isAlive(pid) },
      observer: {
        step: ({ step = 0 }) => {
          if (isFirst && !hasRotted(world) && !hasMisread(world) && step <= before)
            world.violation ??= new Violation(
              `step ${step} is taken again, and the checkpoint of step ${before} was acknowledged`,
            );
          isFirst = false;
        },
        checkpoint: (step) => {
          acknowledged.step = step;
          world.note(`acknowledged step ${step}`);
        },
      },
    });
    before = acknowledged.step;
    training(program);
    try {
      const timer = timerOf(globalThis);
      const own = partsOf(variant);
      let calls = 0;
      const parts = variant.isAsynchronous ? slowly(own, timer, { fails: () => calls++ % 11 === 10 }) : own;
      return await train({ ...parts, settings: config, recorder: run });
    } finally {
      training(null);
      await run.close();
    }
  });
}

/** What an undisturbed run of a variant leaves, by its key. */
const undisturbed = new Map<string, Promise<ReadonlyMap<string, Uint8Array>>>();

/** Files of an undisturbed run, by their paths. */
export function undisturbedFiles(variant: Variant): Promise<ReadonlyMap<string, Uint8Array>> {
  const key = JSON.stringify(variant);
  const known = undisturbed.get(key) ?? playUndisturbed(variant);
  undisturbed.set(key, known);
  return known;
}

async function playUndisturbed(variant: Variant): Promise<ReadonlyMap<string, Uint8Array>> {
  const world = new World("undisturbed", []);
  begin(world.disk);
  await onMachine(world, null, () => untilDone(world, () => trainOnce(world, variant, { step: 0 })));
  return filesOf(world.disk, runFolder);
}

/** A folder for runs, durable. */
export function begin(disk: Disk): void {
  disk.makeFolder(`${diskRoot}/runs`, true);
  disk.syncAll();
}

/** @throws Violation for the first file that is not as that of an undisturbed run */
export function expectEqual(found: ReadonlyMap<string, Uint8Array>, expected: ReadonlyMap<string, Uint8Array>): void {
  const isMeant = (name: string): boolean =>
    ![...unequalFiles, ...disturbedFiles].includes(name.split("/")[0] as string);
  const names = [...new Set([...found.keys(), ...expected.keys()])].filter(isMeant).toSorted();
  for (const name of names) {
    const [own, other] = [found.get(name), expected.get(name)];
    if (!other) throw new Violation(`${name} is left, which an undisturbed run does not have`);
    if (!own) throw new Violation(`${name} is missing`);
    expectThat(Buffer.compare(own, other) === 0, `${name} is not that of an undisturbed run`);
  }
}

/** Of a run whose order depends on the clock: every step once, and every group trained once, or dropped by name. */
async function expectWhole(disk: Disk): Promise<void> {
  const own = rowsOf<{ readonly step: number }>(disk, `${runFolder}/metrics.jsonl`).map(({ step }) => step);
  expectThat(
    own.join() === Array.from({ length: steps }, (_, i) => i + 1).join(),
    `metrics.jsonl has the steps ${own.join()}`,
  );
  const evaluated = rowsOf<{ readonly step: number }>(disk, `${runFolder}/evaluations.jsonl`).map(({ step }) => step);
  expectThat(evaluated.join() === "0,2,4", `evaluations.jsonl has the steps ${evaluated.join()}`);
  const trained = new Map<string, number>();
  for await (const { problem } of eachEpisode(folderSource(runFolder), "step"))
    trained.set(problem.id, (trained.get(problem.id) ?? 0) + 1);
  expectThat(
    trained.size === groupsPerStep * steps,
    `${trained.size} groups are trained, not ${groupsPerStep * steps}`,
  );
  for (const [id, episodes] of trained)
    expectThat(episodes === episodesPerGroup, `group ${id} has ${episodes} episodes, not ${episodesPerGroup}`);
  for (const { problemId } of rowsOf<{ readonly problemId: string }>(disk, `${runFolder}/dropped.jsonl`))
    expectThat(!trained.has(problemId), `group ${problemId} is trained, and reported as dropped`);
}

const trainScenario = (isAsynchronous: boolean): Scenario => ({
  title: isAsynchronous ? "an asynchronous run, resumed until it is done" : "a run, resumed until it is done",
  faults: {
    kinds: ["kill", "kill", "power", "power", "error", "full", "slow", "jump"],
    events: isAsynchronous ? 900 : 500,
    rots: ["checkpoints/step-", "metrics.jsonl", "episodes.jsonl.gz", "evaluations.jsonl"],
  },
  async play(world: World, random: Random) {
    const variant: Variant = {
      policies: random.uniform() < 0.5 ? "one" : "two",
      checkpointEvery: random.uniform() < 0.5 ? 1 : 2,
      isAsynchronous,
    };
    begin(world.disk);
    const acknowledged = { step: 0 };
    const checks: Promise<void>[] = [];
    const result = await untilDone(world, () => trainOnce(world, variant, acknowledged), {
      between: () => void (hasRotted(world) || checks.push(latestLoads(world.disk, runFolder))),
      refused: ({ code }) => hasRotted(world) && ["checkpoint_corrupt", "checkpoint_mismatch"].includes(code),
    });
    await Promise.all(checks);
    if (result === null) return;
    expectThat(result.steps === steps && !result.interrupted, `the run ended after ${result.steps} steps`);
    if (isAsynchronous && !hasRotted(world)) await looked(world, () => expectWhole(world.disk));
    else if (!hasRotted(world)) expectEqual(filesOf(world.disk, runFolder), await undisturbedFiles(variant));
  },
});

export const trainSync: Scenario = trainScenario(false);
export const trainAsync: Scenario = trainScenario(true);
