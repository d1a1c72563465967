import { timerOf } from "../../packages/rewards/src/index.ts";
import { parseTrainConfig } from "../../packages/trainer/src/settings/parse-train-config.ts";
import type { TrainConfig } from "../../packages/trainer/src/settings/config.ts";
import type { TrainingParts } from "../../packages/trainer/src/parts.ts";
import { eachEpisode, folderSource } from "../../packages/trainer/src/reading/index.ts";
import { openRun } from "../../packages/trainer/src/run/run-directory.ts";
import { unequalFiles } from "../../packages/trainer/src/run/run-files.ts";
import { tinyPairParts, tinyParts, tinySettings } from "../../packages/trainer/src/testing/index.ts";
import { train, type TrainResult } from "../../packages/trainer/src/train.ts";
import { slowly } from "../../packages/trainer/test/slow-policy.ts";
import { diskRoot, type Disk } from "./disk.ts";
import { onMachine } from "./machine.ts";
import {
  expectThat,
  filesOf,
  hasMisread,
  hasRotted,
  rowsOf,
  runFolder,
  textOf,
  untilDone,
  type Scenario,
} from "./scenario.ts";
import { Violation, World, type Ended, type Program } from "./world.ts";

/** What differs from seed to seed. */
export interface Variant {
  readonly policies: "one" | "two";
  readonly checkpointEvery: 1 | 2;
  readonly isAsynchronous: boolean;
}

/** Of every run. */
export const steps = 4;
export const groupsPerStep = 2;
export const episodesPerGroup = 2;
/** Of what went wrong, not of what was learned: an undisturbed run has no such rows. */
const disturbedFiles: readonly string[] = ["warnings.jsonl"];

/** What checkpoints acknowledged. */
export interface Acknowledged {
  step: number;
}

/** Settings of a variant, before they are checked. */
export const settingsOf = ({
  policies,
  checkpointEvery,
  isAsynchronous,
}: Variant): Readonly<Record<string, unknown>> => ({
  ...tinySettings,
  steps,
  problemsPerStep: groupsPerStep,
  episodesPerProblem: episodesPerGroup,
  ...(policies === "two" && { prices: {} }),
  evaluation: { every: 2, problems: 3, transcripts: 2 },
  checkpoint: { every: checkpointEvery, keep: 2 },
  ...(isAsynchronous && { prices: {}, asynchronous: { maxLag: 1, stale: "drop", retries: 1 } }),
});

/** Fresh weights, and problems that are known apart. */
export function partsOf({ policies }: Variant): TrainingParts {
  const { task, ...rest } = policies === "two" ? tinyPairParts() : tinyParts();
  const problems: TrainingParts["task"]["problems"] = (random, count) => {
    const name = random.split("name").integer(1e9);
    return task.problems(random, count).map((each, i) => ({ ...each, id: `${name}-${i}` }));
  };
  return { ...rest, task: { ...task, problems } };
}

/** A run of the tiny task. */
export function jobOf(variant: Variant): TrainingJob {
  return {
    folder: runFolder,
    settings: parseTrainConfig(settingsOf(variant)),
    async open() {
      const own = partsOf(variant);
      let calls = 0;
      return {
        parts: variant.isAsynchronous ? slowly(own, timerOf(globalThis), { fails: () => calls++ % 11 === 10 }) : own,
      };
    },
  };
}

/** What a process trains, and where. */
export interface TrainingJob {
  readonly folder: string;
  readonly settings: TrainConfig;
  /** What the run's folder keeps as its configuration; the settings by default. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Models and task of one process, open before it holds the folder, as the command line has it. */
  open(): Promise<{ readonly parts: TrainingParts; close?(): Promise<void> }>;
}

/** What hears of a process that trains. */
export interface TrainingHooks {
  /** The program that holds the folder, and null when it gives it back. */
  holds?(program: Program | null): void;
}

/** One process that trains, or goes on training. One that a signal ended has saved, and the next goes on. */
export async function trainOnce(
  world: World,
  job: TrainingJob,
  acknowledged: Acknowledged,
  hooks: TrainingHooks = {},
): Promise<Ended<TrainResult>> {
  const ended = await world.start((program) => trainIn(world, program, job, acknowledged, hooks));
  return ended.how === "done" && ended.value.interrupted ? { how: "killed", by: "kill" } : ended;
}

/** The same within a program. */
export async function trainIn(
  world: World,
  program: Program,
  job: TrainingJob,
  acknowledged: Acknowledged,
  { holds }: TrainingHooks = {},
): Promise<TrainResult> {
  const { settings, folder, config = { ...settings } } = job;
  const opened = await job.open();
  try {
    let before = acknowledged.step;
    let isFirst = true;
    const { signal } = program.stop;
    let stepsAfterSignal = 0;
    const run = await openRun({
      directory: folder,
      config,
      environment: { machine: "simulated" },
      keepCheckpoints: settings.checkpoint.keep,
      checkpointEvery: settings.checkpoint.every,
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
          if (signal.aborted && (stepsAfterSignal += 1) > 1)
            world.violation ??= new Violation(
              `step ${step} is taken, and the run was asked to end before the last one`,
            );
        },
        checkpoint: (step) => {
          acknowledged.step = step;
          world.note(`acknowledged step ${step}`);
        },
      },
    });
    before = acknowledged.step;
    holds?.(program);
    try {
      const result = await train({ ...opened.parts, settings, recorder: run, signal });
      const saved = Number(/\d+/u.exec(textOf(world.disk, `${folder}/checkpoints/LATEST`) ?? "")?.[0]);
      if (result.interrupted && saved !== result.steps)
        world.violation ??= new Violation(
          `the run is interrupted after step ${result.steps}, and its last checkpoint is of step ${saved}`,
        );
      return result;
    } finally {
      holds?.(null);
      await run.close();
    }
  } finally {
    await opened.close?.();
  }
}

/** What is left where nothing goes wrong, by a key. */
const undisturbed = new Map<string, Promise<ReadonlyMap<string, Uint8Array>>>();

/**
 * All files that something leaves where nothing goes wrong, by their paths from the disk's root. It is played once for a key.
 * @param work - plays it, where a folder for runs is
 */
export function undisturbedDisk(
  key: string,
  work: (world: World) => Promise<unknown>,
  server?: Scenario["server"],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const play = async (): Promise<ReadonlyMap<string, Uint8Array>> => {
    const world = new World("undisturbed", []);
    begin(world.disk);
    await onMachine(world, server?.(world) ?? null, () => work(world));
    return filesOf(world.disk, diskRoot);
  };
  const files = undisturbed.get(key) ?? play();
  undisturbed.set(key, files);
  return files;
}

/** Files below a folder of a disk, by their paths from there. */
export function filesBelow(files: ReadonlyMap<string, Uint8Array>, folder: string): ReadonlyMap<string, Uint8Array> {
  const start = `${folder.slice(diskRoot.length + 1)}/`;
  return new Map(
    [...files].flatMap(([name, bytes]) => (name.startsWith(start) ? [[name.slice(start.length), bytes] as const] : [])),
  );
}

/** Files of an undisturbed run of the tiny task, by their paths. */
export async function undisturbedFiles(variant: Variant): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = await undisturbedDisk(JSON.stringify(variant), (world) =>
    untilDone(world, () => trainOnce(world, jobOf(variant), { step: 0 })),
  );
  return filesBelow(files, runFolder);
}

/** A folder for runs, durable. */
export function begin(disk: Disk): void {
  disk.makeFolder(`${diskRoot}/runs`, true);
  disk.syncAll();
}

/**
 * @param others - names in the folder that differ as well
 * @throws Violation for the first file that is not as that of an undisturbed run
 */
export function expectEqual(
  found: ReadonlyMap<string, Uint8Array>,
  expected: ReadonlyMap<string, Uint8Array>,
  others: readonly string[] = [],
): void {
  const isMeant = (name: string): boolean =>
    ![...unequalFiles, ...disturbedFiles, ...others].includes(name.split("/")[0] as string);
  const names = [...new Set([...found.keys(), ...expected.keys()])].filter(isMeant).toSorted();
  for (const name of names) {
    const [own, other] = [found.get(name), expected.get(name)];
    if (!other) throw new Violation(`${name} is left, which an undisturbed run does not have`);
    if (!own) throw new Violation(`${name} is missing`);
    expectThat(Buffer.compare(own, other) === 0, `${name} is not that of an undisturbed run`);
  }
}

/** Of a run whose order depends on the clock: every step once, and every group trained once, or dropped by name. */
export async function expectWhole(disk: Disk, members: number = episodesPerGroup): Promise<void> {
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
    expectThat(episodes === members, `group ${id} has ${episodes} episodes, not ${members}`);
  for (const { problemId } of rowsOf<{ readonly problemId: string }>(disk, `${runFolder}/dropped.jsonl`))
    expectThat(!trained.has(problemId), `group ${problemId} is trained, and reported as dropped`);
}
