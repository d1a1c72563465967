import { unequalFiles } from "../../packages/trainer/src/reading/run-files.ts";
import { LaconicError } from "../../packages/core/src/index.ts";
import { diskRoot } from "./disk.ts";
import { onMachine } from "./machine.ts";
import { Violation } from "./program.ts";
import { expectThat, filesOf, runFolder, untilDone } from "./scenario.ts";
import type { Files, RestartOptions, Scenario } from "./scenario.ts";
import { begin, jobOf, trainOnce, type Acknowledged, type TrainingHooks, type Variant } from "./training.ts";
import type { TrainResult } from "../../packages/trainer/src/train.ts";
import { World } from "./world.ts";

/** Rows about faults, which undisturbed runs lack. */
const disturbedFiles: readonly string[] = ["warnings.jsonl"];

/** Max cached undisturbed runs; scenarios without settings repeat the same ones. */
const maxKept = 16;
const cache = new Map<string, Promise<Files | null>>();

/**
 * Files by path from the disk's root after work without faults. Cached by plan.
 * @param work - plays it; returns null if refused
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
  const files = cache.get(key) ?? play();
  cache.delete(key);
  cache.set(key, files);
  for (const old of cache.keys()) if (cache.size > maxKept) cache.delete(old);
  return files;
}

export function filesBelow(files: Files, folder: string): Files {
  const start = `${folder.slice(diskRoot.length + 1)}/`;
  return new Map(
    [...files].flatMap(([name, bytes]) => (name.startsWith(start) ? [[name.slice(start.length), bytes] as const] : [])),
  );
}

export interface RunPlan {
  readonly variant: Variant;
  readonly moreSteps: number;
}

/**
 * Errors by which settings may end a run late: unusable rewards, a failing policy, slow episodes, and weights for a
 * sampler-trainer gap that a table lacks.
 */
const ends: ReadonlySet<string> = new Set([
  "reward_invalid",
  "training_diverged",
  "numeric_invalid",
  "scoring_failed",
  "objective_refused",
]);

/** Whether an error is a valid end of a run due to its settings. Settings are refused before the first episode. */
export function isEndOfRun({ disk }: World, { code }: LaconicError): boolean {
  return ends.has(code) || (code === "config_invalid" && !disk.find(`${runFolder}/evaluations.jsonl`));
}

/** Trains with successive processes until done. @returns null after a valid error */
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
  for (const item of moreSteps > 0 ? [variant, longer] : [variant]) {
    result = await untilDone(world, () => trainOnce(world, jobOf(world, item), acknowledged, hooks), options);
    if (result === null) return null;
  }
  return result;
}

/** Files of an undisturbed run by path; null if its settings end it. */
export async function undisturbedRun({ variant, moreSteps }: RunPlan): Promise<Files | null> {
  const plan = { variant, moreSteps };
  const files = await undisturbed("train", plan, (world) =>
    trainToEnd(world, plan, { step: 0 }, { refused: (error) => isEndOfRun(world, error) }),
  );
  return files && filesBelow(files, runFolder);
}

/** @param others - other names that may differ @throws Violation for the first differing file */
export function expectEqual(files: Files, expected: Files, others: readonly string[] = []): void {
  const isMeant = (name: string): boolean =>
    ![...unequalFiles, ...disturbedFiles, ...others].includes(name.split("/")[0] as string);
  const names = [...new Set([...files.keys(), ...expected.keys()])].filter(isMeant).toSorted();
  for (const name of names) {
    const [own, other] = [files.get(name), expected.get(name)];
    if (!other) throw new Violation(`${name} is left, which an undisturbed run does not have`);
    if (!own) throw new Violation(`${name} is missing`);
    expectThat(
      Buffer.compare(own, other) === 0,
      `${name} is not that of an undisturbed run: ${firstDifference(own, other)}`,
    );
  }
}

function firstDifference(own: Uint8Array, other: Uint8Array): string {
  const index = own.findIndex((byte, i) => byte !== other[i]);
  const from = Math.max(0, (index < 0 ? own.length : index) - 40);
  const shown = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes.subarray(from, from + 100)).toString());
  return `${shown(own)} instead of ${shown(other)}`;
}
