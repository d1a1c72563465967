import { thrownText } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { stepDefect } from "../reading/step-rows.ts";
import type { TraceNames } from "../reading/run-files.ts";
import { joinBytes, joinPath, linesIn, type FileDigest, type FileSystem } from "@laconic/core/files";
import { membersIn } from "@laconic/core/run-folder";
import { sha256OfPieces } from "#platform";
import { piecesBy } from "./file-system.ts";
import { endOfTrace, type TraceEnd } from "./trace-parts.ts";

/** Such files as a checkpoint saw them. */
export type TraceDigests = Readonly<Record<string, FileDigest>>;

/** Of the files that are there: what of each is in no part, or in one that the step ends. */
export async function digestTraces(
  fs: FileSystem,
  directory: string,
  { all, timed }: TraceNames,
  step: number,
): Promise<Record<string, FileDigest>> {
  const digests: Record<string, FileDigest> = {};
  for (const name of all) {
    if (timed.has(name)) continue;
    const file = await endOfTrace(fs, directory, name, step);
    if (file.size === null) continue;
    const hash = sha256OfPieces();
    for await (const piece of piecesBy(file.read)) hash.update(piece);
    digests[name] = { bytes: file.size, sha256: hash.digest() };
  }
  return digests;
}

/** What of a trace file a resumed run keeps: all, what lies before a place, or rows up to a step, each once where they stand twice. */
type Cut =
  | { readonly kind: "all" }
  | { readonly kind: "before"; readonly bytes: number }
  | { readonly kind: "rows"; readonly step: number; readonly once: boolean };

/** How trace files are cut back to a step, and what has to be mended for it, in words. */
export interface CutTraces {
  readonly cuts: Readonly<Record<string, { readonly file: TraceEnd; readonly cut: Cut }>>;
  readonly repairs: readonly string[];
}

/**
 * Finds the rows up to `step`, without torn lines and those of later steps, in memory of one line. Rows that stand twice are taken
 * once where that gives what the checkpoint saw.
 * @param recorded - what the checkpoint saw; null compares nothing
 * @throws Error naming file and place where rows are lost or changed
 */
export async function cutTraces(
  fs: FileSystem,
  directory: string,
  { all, byStep, timed }: TraceNames,
  step: number,
  recorded: TraceDigests | null,
): Promise<CutTraces> {
  const cuts: Record<string, { readonly file: TraceEnd; readonly cut: Cut }> = {};
  const repairs: string[] = [];
  for (const name of all) {
    const file = await endOfTrace(fs, directory, name, step);
    const expected = recorded?.[name];
    // Nobody knows its bytes, but it has a row for each step.
    const isCounted = recorded !== null && !expected && timed.has(name);
    if (file.size === null) {
      if (expected) throw new Error(`${name} is gone, which held ${expected.bytes} bytes at step ${step}`);
      if (isCounted && step > file.after) throw new Error(`${name} is gone, which held ${step} rows`);
      continue;
    }
    const found = await cutOf(rowsIn(file, name), step, expected, isCounted).catch((cause: unknown) => {
      throw new Error(`${name}: ${thrownText(cause)}`, { cause });
    });
    if ("steps" in found)
      throw new Error(`${name}: ${damageOf(found.steps, { after: file.after, step }, byStep.has(name))}`);
    cuts[name] = { file, cut: found.cut };
    if (found.twice.length > 0)
      repairs.push(`${name}: rows that stood twice were taken once (line ${found.twice.join(", ")})`);
  }
  return { cuts, repairs };
}

type Found = { readonly cut: Cut; readonly twice: readonly number[] } | { readonly steps: readonly number[] };

async function cutOf(
  rows: TraceRows,
  step: number,
  expected: FileDigest | undefined,
  isCounted: boolean,
): Promise<Found> {
  if (expected) {
    // What the checkpoint saw stands at the beginning, unless a row was lost.
    const seen = digester();
    for await (const piece of piecesBy(rows.file.read, 0, expected.bytes)) seen.add(piece);
    if (seen.is(expected)) {
      const later: number[] = [];
      for await (const { at, own } of rowsUpTo(rows, step, expected.bytes)) if (own !== null) later.push(at);
      const before = later.length === 0 ? 0 : await countRows(rows, expected.bytes);
      return { cut: { kind: "before", bytes: expected.bytes }, twice: later.map((at) => before + at) };
    }
  }
  const [all, once, steps, twice] = [digester(), digester(), [] as number[], [] as number[]];
  const onceSteps: number[] = [];
  let lines = 0;
  for await (const { bytes, at, own, isAgain } of rowsUpTo(rows, step)) {
    lines = at;
    if (own === null) continue;
    steps.push(own);
    all.add(bytes);
    if (isAgain) twice.push(at);
    else {
      once.add(bytes);
      onceSteps.push(own);
    }
  }
  const isWhole = steps.length === lines && twice.length === 0;
  const range = { after: rows.file.after, step };
  if (isCounted && lostOf(steps, range) !== null)
    return lostOf(onceSteps, range) === null ? { cut: { kind: "rows", step, once: true }, twice } : { steps };
  if (!expected || all.is(expected))
    return { cut: isWhole ? { kind: "all" } : { kind: "rows", step, once: false }, twice: [] };
  return once.is(expected) ? { cut: { kind: "rows", step, once: true }, twice } : { steps };
}

/** What a cut leaves of a file, row by row, with their ends. */
export async function* rowsOfCut(name: string, { file, cut }: CutTraces["cuts"][string]): AsyncGenerator<Uint8Array> {
  if (cut.kind === "rows") {
    for await (const { bytes, own, isAgain } of rowsUpTo(rowsIn(file, name), cut.step))
      if (own !== null && !(cut.once && isAgain)) yield bytes;
    return;
  }
  yield* piecesBy(file.read, 0, cut.kind === "before" ? cut.bytes : Infinity);
}

/** Cuts the files, each by one step that a kill leaves done or undone. What is kept of a part that is cut goes back to its file. */
export async function writeTraces(fs: FileSystem, directory: string, { cuts }: CutTraces): Promise<void> {
  for (const [name, each] of Object.entries(cuts)) {
    const { file, cut } = each;
    const path = joinPath(directory, name);
    if (cut.kind === "all" || (cut.kind === "before" && file.size === cut.bytes)) continue;
    if (cut.kind === "before" && file.parts.length === 0) {
      await fs.truncate(path, cut.bytes);
      continue;
    }
    await fs.write(`${path}.tmp`, "");
    let batch: Uint8Array[] = [];
    let held = 0;
    for await (const bytes of rowsOfCut(name, each)) {
      batch.push(bytes);
      held += bytes.length;
      if (held < batchBytes) continue;
      await fs.append(`${path}.tmp`, joinBytes(batch));
      batch = [];
      held = 0;
    }
    await fs.append(`${path}.tmp`, joinBytes(batch));
    await fs.rename(`${path}.tmp`, path);
    for (const part of file.parts) await fs.remove(joinPath(directory, part.name));
  }
}

const batchBytes = 4 << 20;

interface TraceRow {
  /** With its end. */
  readonly bytes: Uint8Array;
  /** Counted from 1. */
  readonly at: number;
  /** Its step; null for what is to go: a later step's, or no row. */
  readonly own: number | null;
  /** It stood before, byte for byte. */
  readonly isAgain: boolean;
}

const decoder = new TextDecoder();
const lineEnd = Uint8Array.of(10);

/** The end of a trace file, as lines of JSON or as members of a gzip file. */
interface TraceRows {
  readonly file: TraceEnd;
  readonly areMembers: boolean;
}

const rowsIn = (file: TraceEnd, name: string): TraceRows => ({ file, areMembers: name.endsWith(".gz") });

async function* rowsUpTo(rows: TraceRows, step: number, from = 0): AsyncGenerator<TraceRow> {
  const seen = new Set<string>();
  let at = 0;
  for await (const { bytes, of } of stepsOf(rows, from)) {
    at += 1;
    if (of === null || of > step) {
      yield { bytes, at, own: null, isAgain: false };
      continue;
    }
    // Of a long row its checksum: all of them may be more than memory.
    const key = bytes.length > 100 ? sha256Of(bytes) : decoder.decode(bytes);
    yield { bytes, at, own: of, isAgain: seen.has(key) };
    seen.add(key);
  }
}

/** Lines of JSON or members of a gzip file, each with its step: null for what was torn or is no row. */
async function* stepsOf(
  { file: { read }, areMembers }: TraceRows,
  start: number,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly of: number | null }> {
  if (areMembers)
    for await (const { head, from, length } of membersIn(read, start)) {
      const bytes = head && (await read(from, length));
      yield bytes ? { bytes, of: head.step } : { bytes: lineEnd, of: null };
    }
  else
    for await (const line of linesIn(piecesBy(read, start)))
      yield line
        ? { bytes: joinBytes([line, lineEnd]), of: stepOf(decoder.decode(line)) }
        : { bytes: lineEnd, of: null };
}

/** Up to a place that a row ends at. */
async function countRows({ file: { read }, areMembers }: TraceRows, end: number): Promise<number> {
  let count = 0;
  if (areMembers) {
    for await (const { from } of membersIn(read)) if (from < end) count += 1;
    return count;
  }
  for await (const piece of piecesBy(read, 0, end))
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) count += 1;
  return count;
}

function sha256Of(bytes: Uint8Array): string {
  const hash = sha256OfPieces();
  hash.update(bytes);
  return hash.digest();
}

/** Null for a line that was torn or is no row. */
function stepOf(line: string): number | null {
  const row = tryParseJson(line) as { readonly step?: unknown } | null | undefined;
  return typeof row?.step === "number" ? row.step : null;
}

function digester(): { add(bytes: Uint8Array): void; is(expected: FileDigest): boolean } {
  const hash = sha256OfPieces();
  let bytes = 0;
  return {
    add: (piece) => {
      bytes += piece.length;
      hash.update(piece);
    },
    is: (expected) => bytes === expected.bytes && hash.digest() === expected.sha256,
  };
}

/** Where a file with one row a step goes wrong; of another, that something differs. */
function damageOf(steps: readonly number[], range: StepRange, isByStep: boolean): string {
  return (
    (isByStep ? lostOf(steps, range) : null) ??
    `its rows up to step ${range.step} are not those that the checkpoint of that step saw`
  );
}

/** Steps of rows: those behind `after`, up to `step`. */
interface StepRange {
  readonly after: number;
  readonly step: number;
}

/** What keeps rows from being those of a range of steps, one each. */
function lostOf(steps: readonly number[], { after, step }: StepRange): string | null {
  const next = after + steps.length + 1;
  return stepDefect(steps, after) ?? (next <= step ? `step ${next} is lost` : null);
}
