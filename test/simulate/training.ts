import { LaconicError, type Random } from "../../packages/core/src/index.ts";
import { timerOf } from "../../packages/rewards/src/index.ts";
import type { GroupSource, TrainingParts } from "../../packages/trainer/src/spec/parts.ts";
import { parseTrainConfig } from "../../packages/trainer/src/settings/parse-train-config.ts";
import type { TrainConfig } from "../../packages/trainer/src/settings/config.ts";
import { openRun } from "../../packages/trainer/src/run/run-directory.ts";
import {
  tinyDuelParts,
  tinyExampleParts,
  tinyLearningParts,
  tinyPairParts,
  tinyParts,
  tinySettings,
  tinyToolParts,
} from "../../packages/trainer/src/testing/index.ts";
import { runSpec, type RunSpecOptions } from "../../packages/trainer/src/spec/run-spec.ts";
import { train, type TrainResult } from "../../packages/trainer/src/train.ts";
import { slowly } from "../../packages/trainer/test/slow-policy.ts";
import { drawSettings, fit, settingNames } from "./any-settings.ts";
import { type Disk, diskRoot } from "./disk.ts";
import type { Ended, Program } from "./program.ts";
import { hasMisread, hasRotted, runFolder, textOf } from "./scenario.ts";
import type { World } from "./world.ts";

type Settings = Readonly<Record<string, unknown>>;

export interface Variant {
  readonly team: string;
  readonly beside: string;
  readonly settings: Settings;
}

export const steps = 4;
export const groupsPerStep = 2;
export const episodesPerGroup = 2;

/** Teams with required settings. `tree` uses rollout trees of two turns; duels have past selves as opponents. */
const teams: Readonly<Record<string, { parts(): TrainingParts; readonly settings: Settings }>> = {
  one: { parts: () => tinyParts(), settings: { prices: { tokens: 0.1 } } },
  star: { parts: () => tinyParts("star"), settings: { prices: { tokens: 0.1 } } },
  two: { parts: () => tinyPairParts(), settings: {} },
  tree: {
    parts: () => tinyPairParts(2),
    settings: { groupBy: "tree-node", tree: { mode: "aligned", gamma: 0.9, stopAbove: null } },
  },
  duel: {
    parts: () => tinyDuelParts("own"),
    settings: { groupBy: "prompt+agent", opponents: { sides: [["left"]], latest: 0.5, every: 1, keep: 2 } },
  },
  mirror: {
    parts: () => tinyDuelParts(),
    settings: { groupBy: "prompt+agent", opponents: { sides: [["left"], ["right"]], latest: 0.5, every: 1, keep: 2 } },
  },
};

/** Additional parts: a critic with a curriculum, an environment's tool, or supervised examples. */
const besides: Readonly<
  Record<string, { parts(parts: TrainingParts, settings: Settings): RunSpecOptions; readonly settings: Settings }>
> = {
  nothing: { parts: (parts) => parts, settings: {} },
  learning: {
    parts: (parts, { asynchronous }) => tinyLearningParts(parts, !asynchronous),
    settings: { prices: {}, budget: { targetTokens: 2, learningRate: 0.1 }, problemPool: 6 },
  },
  tools: { parts: tinyToolParts, settings: {} },
  examples: { parts: tinyExampleParts, settings: { supervised: { batch: 2 } } },
};

function named<T>(table: Readonly<Record<string, T>>, name: string): T {
  return table[name] as T;
}

export interface Acknowledged {
  step: number;
}

function smallSettings(checkpointEvery: number, isAsynchronous: boolean): Settings {
  return {
    ...tinySettings,
    prices: {},
    steps,
    problemsPerStep: groupsPerStep,
    episodesPerProblem: episodesPerGroup,
    evaluation: { every: 2, problems: 3, transcripts: 2 },
    checkpoint: { every: checkpointEvery, keep: 2 },
    ...(isAsynchronous && { asynchronous: { maxLag: 1, stale: "drop", retries: 1 } }),
  };
}

/** Run of one policy, for scenarios that test something else. */
export function plainVariant(checkpointEvery: number, isAsynchronous = false, more: Settings = {}): Variant {
  const prices = isAsynchronous ? {} : { tokens: 0.1 };
  const settings = { ...smallSettings(checkpointEvery, isAsynchronous), prices, ...more };
  return { team: "one", beside: "nothing", settings };
}

/** Any team with random suitable top-level settings, each drawn as a whole. */
export function drawVariant(random: Random, isAsynchronous: boolean): Variant {
  const names = settingNames.filter((name) => name !== "steps" && (isAsynchronous || name !== "asynchronous"));
  const [team, wanted] = [random.pick(Object.keys(teams)), random.pick(Object.keys(besides))];
  const small = { ...smallSettings(1 + random.integer(2), isAsynchronous), ...named(teams, team).settings };
  const { problemPool, ...own } = named(besides, wanted).settings;
  const base = { ...small, ...own, ...(!isAsynchronous && problemPool !== undefined && { problemPool }) };
  const isFit = fit(base, partsOf({ team, beside: wanted, settings: base }));
  const [beside, from] = isFit ? [wanted, base] : (["nothing", small] as const);
  const parts = partsOf({ team, beside, settings: from });
  return { team, beside, settings: drawSettings(random, from, parts, { names, goesByClock: isAsynchronous }) };
}

export function partsOf({ team, beside, settings }: Variant): RunSpecOptions {
  const { task, ...rest } = named(teams, team).parts();
  const problems: TrainingParts["task"]["problems"] = (random, count) => {
    const name = random.split("name").integer(1e9);
    return task.problems(random, count).map((problem, i) => ({ ...problem, id: `${name}-${i}` }));
  };
  return named(besides, beside).parts({ ...rest, task: { ...task, problems } }, settings);
}

/** Makes models fail without effect when a fault says that the device lacks memory. */
function refusingMemory(world: World, parts: RunSpecOptions): RunSpecOptions {
  for (const [policy, { model }] of Object.entries(parts.policies)) {
    const check = (work: string): void => {
      if (world.faults.refusesMemory(world))
        throw new LaconicError("device_out_of_memory", `${policy}: no memory is left for ${work}`, { policy, work });
    };
    const { sample, forward, forwardBackward, optimStep } = model;
    const refusing: Pick<typeof model, "sample" | "forward" | "forwardBackward" | "optimStep"> = {
      sample: async (...input) => (check("sampling"), sample(...input)),
      forward: async (...input) => (check("a forward pass"), forward(...input)),
      forwardBackward: async (...input) => (check("a training pass"), forwardBackward(...input)),
      optimStep: async (...input) => (check("an optimizer step"), optimStep(...input)),
    };
    Object.assign(model, refusing);
  }
  return parts;
}

export function jobOf(world: World, variant: Variant): TrainingJob {
  return {
    folder: runFolder,
    settings: parseTrainConfig(variant.settings),
    async open() {
      const runSpecOptions = refusingMemory(world, partsOf(variant));
      // A tree is one group of very many calls.
      const period = variant.team === "tree" ? 61 : 11;
      let calls = 0;
      return {
        parts: variant.settings["asynchronous"]
          ? slowly(runSpecOptions, timerOf(globalThis), { fails: () => calls++ % period === 10 })
          : runSpecOptions,
      };
    },
  };
}

export interface TrainingJob {
  readonly folder: string;
  readonly settings: TrainConfig;
  /** Configuration stored in the run's folder. Default: the settings. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Opens models and task of a process before it locks the folder, like the command line. */
  open(): Promise<{ readonly parts: RunSpecOptions; close?(): Promise<void> }>;
  /** Opens an external source of episodes while the folder is locked. Default: the process plays them. */
  openSource?(program: Program): Promise<{ readonly source: GroupSource; close(): Promise<void> }>;
}

export interface TrainingHooks {
  /** Called with the program that locks the folder, and with null when it unlocks it. */
  holds?(program: Program | null): void;
  /** Called after a new run is set up or an old one is restored. */
  restored?(): void;
}

/** One process that starts or continues training. After a signal it saves, and the next one continues. */
export async function trainOnce(
  world: World,
  job: TrainingJob,
  acknowledged: Acknowledged,
  hooks: TrainingHooks = {},
): Promise<Ended<TrainResult>> {
  const ended = await world.start((program) => trainIn(world, program, job, acknowledged, hooks));
  return ended.how === "done" && ended.value.interrupted ? { how: "killed", by: "kill" } : ended;
}

export async function trainIn(
  world: World,
  program: Program,
  job: TrainingJob,
  acknowledged: Acknowledged,
  { holds, restored }: TrainingHooks = {},
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
      adjustable: { steps: "" },
      resume: "where-possible",
      now: () => performance.now(),
      processes: { pid: program.pid, host: "simulated", isAlive: (pid) => world.isAlive(pid) },
      observer: {
        step: ({ step = 0 }) => {
          if (isFirst && !hasRotted(world) && !hasMisread(world) && step <= before)
            world.violate(`step ${step} is taken again, and the checkpoint of step ${before} was acknowledged`);
          isFirst = false;
          if (signal.aborted && (stepsAfterSignal += 1) > 1)
            world.violate(`step ${step} is taken, and the run was asked to end before the last one`);
        },
        checkpoint: (step) => {
          acknowledged.step = step;
          if (!settings.asynchronous && !job.openSource) world.expectWritten(program);
          const mayBeLost = (file: string): boolean =>
            /\/LOCK/u.test(file) || isBeingJournaled(program, file) || hasOriginals(world.disk, file);
          world.expectSafe(`step ${step}`, folder, mayBeLost);
          world.note(`acknowledged step ${step}`);
        },
      },
    });
    before = acknowledged.step;
    holds?.(program);
    const restore = run.restore.bind(run);
    run.restore = async (models) => {
      const state = await restore(models);
      restored?.();
      return state;
    };
    try {
      const source = await job.openSource?.(program);
      const parts = source ? { ...opened.parts, source: source.source } : opened.parts;
      const training = train(runSpec({ ...parts, settings: { ...settings, ...parts.settings } }), {
        recorder: run,
        signal,
      });
      await training.catch(() => undefined);
      await source?.close();
      const result = await training;
      const saved = Number(/\d+/u.exec(textOf(world.disk, `${folder}/checkpoints/LATEST`) ?? "")?.[0]);
      if (result.interrupted && saved !== result.steps)
        world.violate(`the run is interrupted after step ${result.steps}, and its last checkpoint is of step ${saved}`);
      return result;
    } finally {
      holds?.(null);
      await run.close();
    }
  } finally {
    await opened.close?.();
  }
}

/** Whether the gateway appends a row to its journal now, which it has acknowledged to no client. */
function isBeingJournaled({ writes }: Program, file: string): boolean {
  return file.endsWith("/gateway.jsonl") && [...writes].some((label) => label.includes("/gateway.jsonl"));
}

/** Whether a file is a packed part of the gateway's journal whose originals are durable. */
function hasOriginals(disk: Disk, file: string): boolean {
  const [, folder, first, last] = /^(.*\/gateway)\/(\d+)-(\d+)\.jsonl\.gz(?:\.partial)?$/u.exec(file) ?? [];
  const names = Array.from(disk.files(folder), ([name]) => name);
  const durable = names.filter((name) => disk.unsafe(`${folder}/${name}`).length === 0);
  const ends = [`^${first}(-\\d+)?`, `^(\\d+-)?${last}`].map((range) => new RegExp(`${range}\\.jsonl(\\.gz)?$`, "u"));
  return folder !== undefined && ends.every((end) => durable.some((name) => end.test(name)));
}

export function begin(disk: Disk): void {
  disk.makeFolder(`${diskRoot}/runs`, true);
  disk.syncAll();
}
