import { eachEpisode, folderSource } from "../../packages/trainer/src/reading/index.ts";
import { unequalFiles } from "../../packages/trainer/src/run/run-files.ts";
import type { Disk } from "./disk.ts";
import { diskRoot } from "./disk-tree.ts";
import { onMachine } from "./machine.ts";
import { Violation } from "./program.ts";
import { expectThat, filesOf, rowsOf, runFolder, untilDone, type Scenario } from "./scenario.ts";
import { begin, episodesPerGroup, groupsPerStep, jobOf, steps, trainOnce, type Variant } from "./training.ts";
import { World } from "./world.ts";

/** Of what went wrong, not of what was learned: an undisturbed run has no such rows. */
const disturbedFiles: readonly string[] = ["warnings.jsonl"];

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
    untilDone(world, () => trainOnce(world, jobOf(world, variant), { step: 0 })),
  );
  return filesBelow(files, runFolder);
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

/**
 * Of a run whose order depends on the clock: every step once, and every group trained once, or dropped by name.
 * @param members - episodes of a group
 */
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
