import { endsWhole, runFiles } from "@laconic/core/run-folder";
import { checkedNames } from "./run-files.ts";
import { parsed, recordIn, textIn, type RunSource } from "./run-source.ts";
import { lostSteps } from "./step-rows.ts";

const lockName = "LOCK";

/** Damaged files of a run that no process writes, with the line, in words. */
export async function damageOf(source: RunSource): Promise<string[]> {
  const found: string[] = [];
  for (const name of [...checkedNames.files, lockName])
    if (await source.isFolder?.(name)) found.push(`${name} is a folder, where a file should be`);
  for (const name of [...checkedNames.objects, lockName])
    if (!(await isObjectOrNone(source, name)))
      found.push(`${name} is no object of JSON, or larger or deeper than one that is read`);
  for (const name of checkedNames.ends) {
    const { size = 0 } = (await source.stat(name)) ?? {};
    const end = size > 0 ? await source.bytes(name, size - 1, 1) : null;
    if (end && end[0] !== 10) found.push(`${name} ends in the middle of a row`);
  }
  const { size = 0 } = (await source.stat(runFiles.episodes)) ?? {};
  if (!(await endsWhole((from, length) => source.bytes(runFiles.episodes, from, length), size)))
    found.push(`${runFiles.episodes} ends in the middle of a step`);
  for (const name of checkedNames.rows) found.push(...(await badRows(source, name)));
  const lost = await lostSteps(source);
  return lost === null ? found : [...found, lost];
}

async function isObjectOrNone(source: RunSource, name: string): Promise<boolean> {
  const { size = 0 } = (await source.stat(name)) ?? {};
  // A lock is made before it is written.
  return size === 0 || recordIn(parsed(await textIn(source, name))) !== null;
}

/** The first line that is no row. */
async function badRows(source: RunSource, name: string): Promise<string[]> {
  const found = await source.stat(name);
  const text = await textIn(source, name);
  // Evaluations are read one by one, and what is no row is passed over.
  if (text === null)
    return found && name !== runFiles.evaluations
      ? [`${name} is larger than what is read of it, or cannot be read`]
      : [];
  const lines = text.split("\n").slice(0, -1); // what has no end is told elsewhere
  const bad = lines.findIndex((line) => line !== "" && recordIn(parsed(line)) === null);
  return bad < 0 ? [] : [`${name}: line ${bad + 1} is no row`];
}
