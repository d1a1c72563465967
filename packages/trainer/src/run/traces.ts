import { tryParseJson } from "@laconic/core/json";
import { stepDefect } from "../reading/step-rows.ts";
import { traceNames } from "../reading/run-files.ts";
import { joinPath, linesIn, type FileDigest, type FileSystem } from "@laconic/core/files";
import { membersIn, type ReadAt } from "@laconic/core/run-folder";
import { sha256OfPieces } from "#platform";
import { piecesBy } from "./file-system.ts";

/** Sizes and hashes of trace files at a checkpoint. */
export type TraceDigests = Readonly<Record<string, FileDigest>>;

/** Hashes trace files. Files of an open run only grow, so each byte is read once. */
export class TraceDigester {
  readonly #fs: FileSystem;
  readonly #directory: string;
  readonly #files = new Map<string, { bytes: number; readonly hash: ReturnType<typeof sha256OfPieces> }>();

  constructor(fs: FileSystem, directory: string) {
    [this.#fs, this.#directory] = [fs, directory];
  }

  async digests(): Promise<TraceDigests> {
    const digests: Record<string, FileDigest> = {};
    for (const name of traceNames.all) {
      const path = joinPath(this.#directory, name);
      if (traceNames.timed.has(name) || !(await this.#fs.exists(path))) continue;
      const file = this.#files.get(name) ?? { bytes: 0, hash: sha256OfPieces() };
      this.#files.set(name, file);
      for await (const piece of piecesBy((...range) => this.#fs.readPart(path, ...range), file.bytes)) {
        file.hash.update(piece);
        file.bytes += piece.length;
      }
      digests[name] = { bytes: file.bytes, sha256: file.hash.digest() };
    }
    return digests;
  }
}

/**
 * Finds the length of each trace file up to a step.
 * @param recorded - digests of the checkpoint; null skips the comparison
 * @throws Error for lost or changed rows
 */
export async function traceEnds(
  fs: FileSystem,
  directory: string,
  step: number,
  recorded: TraceDigests | null,
): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (const name of traceNames.all) {
    const path = joinPath(directory, name);
    const expected = recorded?.[name];
    // Timing files have no checksum, but one row per step.
    const isCounted = recorded !== null && traceNames.timed.has(name);
    if (!(await fs.exists(path))) {
      if (expected) throw new Error(`${name} is gone, which held ${expected.bytes} bytes at step ${step}`);
      if (isCounted && step > 0) throw new Error(`${name} is gone, which held ${step} rows`);
      continue;
    }
    const read: ReadAt = (...range) => fs.readPart(path, ...range);
    if (expected && (await isPrefix(read, expected))) {
      ends.set(name, expected.bytes);
      continue;
    }
    const { steps, end } = await rowsUpTo(read, name.endsWith(".gz"), step);
    const defect = traceNames.byStep.has(name)
      ? (stepDefect(steps) ?? (steps.length < step ? `step ${steps.length + 1} is lost` : null))
      : null;
    if (expected)
      throw new Error(
        `${name}: ${defect ?? `its rows up to step ${step} are not those that the checkpoint of that step saw`}`,
      );
    if (isCounted && defect !== null) throw new Error(`${name}: ${defect}`);
    ends.set(name, end);
  }
  return ends;
}

async function isPrefix(read: ReadAt, { bytes, sha256 }: FileDigest): Promise<boolean> {
  const hash = sha256OfPieces();
  let length = 0;
  for await (const piece of piecesBy(read, 0, bytes)) {
    hash.update(piece);
    length += piece.length;
  }
  return length === bytes && hash.digest() === sha256;
}

/** Steps before the first torn or later row, and their end in bytes. */
async function rowsUpTo(
  read: ReadAt,
  areMembers: boolean,
  step: number,
): Promise<{ readonly steps: readonly number[]; readonly end: number }> {
  const steps: number[] = [];
  let end = 0;
  for await (const row of areMembers ? memberSteps(read) : lineSteps(read)) {
    if (row.step === null || row.step > step) break;
    steps.push(row.step);
    end = row.end;
  }
  return { steps, end };
}

interface RowStep {
  /** Step number; null for torn rows and rows without a step. */
  readonly step: number | null;
  readonly end: number;
}

async function* memberSteps(read: ReadAt): AsyncGenerator<RowStep> {
  for await (const { head, from, length } of membersIn(read)) yield { step: head?.step ?? null, end: from + length };
}

async function* lineSteps(read: ReadAt): AsyncGenerator<RowStep> {
  const decoder = new TextDecoder();
  let end = 0;
  for await (const line of linesIn(piecesBy(read), true)) {
    end += (line?.length ?? 0) + 1;
    const row = line && (tryParseJson(decoder.decode(line)) as { readonly step?: unknown } | null | undefined);
    yield { step: typeof row?.step === "number" ? row.step : null, end };
  }
}

export async function cutTraces(fs: FileSystem, directory: string, ends: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, end] of ends) {
    const path = joinPath(directory, name);
    if ((await fs.size(path)) > end) await fs.truncate(path, end);
  }
}
