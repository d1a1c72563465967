import { unequalFiles } from "../../packages/trainer/src/reading/run-files.ts";
import { LaconicError } from "../../packages/core/src/index.ts";
import { diskRoot } from "./disk.ts";
import { onMachine } from "./machine.ts";
import { Violation } from "./program.ts";
import {
  expectThat,
  filesOf,
  runFolder,
  untilDone,
  type Files,
  type RestartOptions,
  type Scenario,
} from "./scenario.ts";
import { begin, jobOf, trainOnce, type Acknowledged, type TrainingHooks, type Variant } from "./training.ts";
import type { TrainResult } from "../../packages/trainer/src/train.ts";
import { World } from "./world.ts";

/** Of what went wrong, not of what was learned: an undisturbed run has no such rows. */
const disturbedFiles: readonly string[] = ["warnings.jsonl"];

/** Undisturbed runs that are kept: a scenario without settings of its own plays the same ones again. */
const maxKept = 16;
const kept = new Map<string, Promise<Files | null>>();

/**
 * All files that something leaves where nothing goes wrong, by their paths from the disk's root. It is played once for a plan.
 * @param work - plays it, where a folder for runs is; null where it is refused
 */
export function undisturbed(
  scenario: string,
  plan: unknown,
  work: (world: World) => Promise<unknown>,
  { server, keyHosts = [] }: Pick<Scenario, "server" | "keyHosts"> = {},
): Promise<Files | null> {
  const play = async (): Promise<Files | null> => {
    try {
      const world = new World("undisturbed", []);
      world.keyHosts = keyHosts;
      begin(world.disk);
      const done = await onMachine(world, server?.(world) ?? null, () => work(world));
      return done === null ? null : filesOf(world.disk, diskRoot);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      throw new Violation(`undisturbed, ${error.message}; it is ${JSON.stringify(plan)}`);
    }
  };
  const key = JSON.stringify([scenario, plan]);
  const files = kept.get(key) ?? play();
  kept.delete(key);
  kept.set(key, files);
  for (const old of kept.keys()) if (kept.size > maxKept) kept.delete(old);
  return files;
}

/** Files below a folder of a disk, by their paths from there. */
export function filesBelow(files: Files, folder: string): Files {
  const start = `${folder.slice(diskRoot.length + 1)}/`;
  return new Map(
    [...files].flatMap(([name, bytes]) => (name.startsWith(start) ? [[name.slice(start.length), bytes] as const] : [])),
  );
}

/** A run of the tiny task, to its steps and then to more of them. */
export interface RunPlan {
  readonly variant: Variant;
  readonly moreSteps: number;
}

/**
 * What settings may end a run by that nobody could refuse before: rewards that an estimator cannot use, a policy that breaks, episodes that
 * take too long, and weights for a gap between sampler and trainer, of which a table has none.
 */
const ends: ReadonlySet<string> = new Set([
  "reward_invalid",
  "training_diverged",
  "numeric_invalid",
  "scoring_failed",
  "objective_refused",
]);

/** Whether an error is the end of a run by its own settings, which are refused before the first episode at the latest. */
export function isEndOfRun({ disk }: World, { code }: LaconicError): boolean {
  return ends.has(code) || (code === "config_invalid" && !disk.find(`${runFolder}/evaluations.jsonl`));
}

/** Trains, process by process, until it is done. @returns null where the end is an error that is right */
export async function trainToEnd(
  world: World,
  { variant, moreSteps }: RunPlan,
  acknowledged: Acknowledged,
  options: RestartOptions = {},
  hooks: TrainingHooks = {},
): Promise<TrainResult | null> {
  const steps = variant.settings["steps"] as number;
  const longer = { ...variant, settings: { ...variant.settings, steps: steps + moreSteps } };
  let result: TrainResult | null = null;
  for (const each of moreSteps > 0 ? [variant, longer] : [variant]) {
    result = await untilDone(world, () => trainOnce(world, jobOf(world, each), acknowledged, hooks), options);
    if (result === null) return null;
  }
  return result;
}

/** Files of an undisturbed run of the tiny task, by their paths in the run's folder; null where its settings end it. */
export async function undisturbedRun({ variant, moreSteps }: RunPlan): Promise<Files | null> {
  const plan = { variant, moreSteps };
  const files = await undisturbed("train", plan, (world) =>
    trainToEnd(world, plan, { step: 0 }, { refused: (error) => isEndOfRun(world, error) }),
  );
  return files && filesBelow(files, runFolder);
}

/**
 * @param others - names in the folder that differ as well
 * @throws Violation for the first file that is not as that of an undisturbed run
 */
export function expectEqual(found: Files, expected: Files, others: readonly string[] = []): void {
  const isMeant = (name: string): boolean =>
    ![...unequalFiles, ...disturbedFiles, ...others].includes(name.split("/")[0] as string);
  const names = [...new Set([...found.keys(), ...expected.keys()])].filter(isMeant).toSorted();
  for (const name of names) {
    const [own, other] = [found.get(name), expected.get(name)];
    if (!other) throw new Violation(`${name} is left, which an undisturbed run does not have`);
    if (!own) throw new Violation(`${name} is missing`);
    expectThat(
      Buffer.compare(own, other) === 0,
      `${name} is not that of an undisturbed run: ${firstDifference(own, other)}`,
    );
  }
}

function firstDifference(own: Uint8Array, other: Uint8Array): string {
  const at = own.findIndex((byte, i) => byte !== other[i]);
  const from = Math.max(0, (at < 0 ? own.length : at) - 40);
  const shown = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes.subarray(from, from + 100)).toString());
  return `${shown(own)} instead of ${shown(other)}`;
}
