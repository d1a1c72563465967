import { boundedJson } from "@laconic/core";
import { joinPath, type FileDigest, type FileSystem } from "@laconic/core/files";
import { sha256Text } from "#platform";
import { replaceFile } from "./file-system.ts";

/** Names of files in a run directory whose rows belong to steps. */
export interface TraceNames {
  readonly all: readonly string[];
  /** Those with one row for each step. */
  readonly byStep: ReadonlySet<string>;
}

/** Such files as a checkpoint saw them. */
export type TraceDigests = Readonly<Record<string, FileDigest>>;

/** Of the files that are there. */
export async function digestTraces(
  fs: FileSystem,
  directory: string,
  { all }: TraceNames,
): Promise<Record<string, FileDigest>> {
  const digests: Record<string, FileDigest> = {};
  for (const name of all) {
    const path = joinPath(directory, name);
    if (await fs.exists(path)) digests[name] = await fs.digest(path);
  }
  return digests;
}

/** Trace files cut back to a step, and what had to be mended for it, in words. */
export interface CutTraces {
  readonly texts: Readonly<Record<string, string>>;
  readonly repairs: readonly string[];
}

/**
 * The rows up to `step`, without torn lines and those of later steps. Rows that stand twice are taken once where that gives
 * what the checkpoint saw.
 * @param recorded - what the checkpoint saw; null compares nothing
 * @throws Error naming file and place where rows are lost or changed
 */
export async function cutTraces(
  fs: FileSystem,
  directory: string,
  { all, byStep }: TraceNames,
  step: number,
  recorded: TraceDigests | null,
): Promise<CutTraces> {
  const texts: Record<string, string> = {};
  const repairs: string[] = [];
  for (const name of all) {
    const path = joinPath(directory, name);
    const expected = recorded?.[name];
    if (!(await fs.exists(path))) {
      if (expected) throw new Error(`${name} is gone, which held ${expected.bytes} bytes at step ${step}`);
      continue;
    }
    const read = await fs.read(path).catch((cause: unknown) => {
      throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    });
    const lines = linesUpTo(new TextDecoder().decode(read), step);
    texts[name] = textOf(lines);
    if (!expected || isSame(texts[name], expected)) continue;
    const seen = new Set<string>();
    const once = lines.filter((line) => !seen.has(line.text) && seen.add(line.text));
    if (!isSame(textOf(once), expected)) throw new Error(`${name}: ${damageOf(lines, step, byStep.has(name))}`);
    texts[name] = textOf(once);
    const kept = new Set(once);
    const twice = lines.filter((line) => !kept.has(line));
    repairs.push(`${name}: rows that stood twice were taken once (line ${twice.map(({ at }) => at).join(", ")})`);
  }
  return { texts, repairs };
}

export async function writeTraces(fs: FileSystem, directory: string, { texts }: CutTraces): Promise<void> {
  for (const [name, text] of Object.entries(texts)) await replaceFile(fs, joinPath(directory, name), text);
}

/**
 * What is wrong with rows that should be those of the steps 1, 2, 3 ...; null where nothing is.
 * @param steps - of each row, in the order of the file
 */
export function stepDefect(steps: readonly number[]): string | null {
  for (const [i, step] of steps.entries()) {
    if (step === i + 1) continue;
    const row = `row ${i + 1} is of step ${step}`;
    return step <= i ? `${row}, which stands there already` : `${row}: step ${i + 1} is lost`;
  }
  return null;
}

interface Line {
  /** Counted from 1. */
  readonly at: number;
  readonly text: string;
  readonly step: number;
}

function linesUpTo(text: string, step: number): Line[] {
  return text.split("\n").flatMap((line, i) => {
    const own = stepOf(line);
    return own !== null && own <= step ? [{ at: i + 1, text: line, step: own }] : [];
  });
}

/** Null for a line that was torn or is no row. */
function stepOf(line: string): number | null {
  try {
    const row = boundedJson(line) as { readonly step?: unknown } | null;
    return typeof row?.step === "number" ? row.step : null;
  } catch {
    return null;
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join("");
}

function isSame(text: string, { bytes, sha256 }: FileDigest): boolean {
  return new TextEncoder().encode(text).length === bytes && sha256Text(text) === sha256;
}

/** Where a file with one row a step goes wrong; of another, that something differs. */
function damageOf(lines: readonly Line[], step: number, isByStep: boolean): string {
  const steps = lines.map((line) => line.step);
  const short = steps.length < step ? `step ${steps.length + 1} is lost` : null;
  const defect = isByStep ? (stepDefect(steps) ?? short) : null;
  return defect ?? `its rows up to step ${step} are not those that the checkpoint of that step saw`;
}
