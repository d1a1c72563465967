import { runFiles } from "@laconic/core/run-folder";
import { parsed, recordIn, rowsIn, type RunSource } from "./run-source.ts";

/** Larger files are not checked, which takes about 10 ms. */
const maxChecked = 16 << 20;

/** Last complete step; 0 without one. */
export async function lastStep(source: RunSource): Promise<number> {
  return (await lastRow(source, runFiles.metrics))?.["step"] ?? 0;
}

/** Last complete row with a step; null without one. */
export async function lastRow(
  source: RunSource,
  name: string,
): Promise<(Readonly<Record<string, unknown>> & { readonly step: number }) | null> {
  const found = await source.stat(name);
  if (!found) return null;
  const { size } = found;
  // The last length is the limit of row readers.
  for (const length of [1 << 16, 1 << 22, 1 << 26]) {
    const from = Math.max(0, size - length);
    const tail = await source.bytes(name, from, size - from);
    const rows = rowsIn(tail && new TextDecoder().decode(tail));
    const last = rows.findLast((row): row is typeof row & { readonly step: number } => typeof row["step"] === "number");
    if (last !== undefined) return last;
    if (from === 0) break;
  }
  return null;
}

/** First metrics row out of order; null without one, or for a too large file. */
export async function lostSteps(source: RunSource): Promise<string | null> {
  const found = await source.stat(runFiles.metrics);
  const bytes = found && found.size <= maxChecked ? await source.bytes(runFiles.metrics, 0, found.size) : null;
  if (!bytes) return null;
  const { steps, bad } = stepsIn(bytes);
  const defect = bad === null ? stepDefect(steps) : `line ${bad} is no row of a step`;
  return defect === null ? null : `${runFiles.metrics}: ${defect}`;
}

/** Longer rows are parsed whole, because their start proves too little. */
const maxTrusted = 1 << 20;

/** Steps of the rows, and the first line without one, from 1. */
function stepsIn(bytes: Uint8Array): { readonly steps: readonly number[]; readonly bad: number | null } {
  const decoder = new TextDecoder();
  const steps: number[] = [];
  let line: number = 0;
  let bad: number | null = null;
  for (let from = 0, end = bytes.indexOf(10); end >= 0; from = end + 1, end = bytes.indexOf(10, from)) {
    line += 1;
    if (end === from) continue;
    // The step comes first, so the remainder of a row is not parsed.
    const begins = /^\{"step":(\d+)[,}]/u.exec(decoder.decode(bytes.subarray(from, Math.min(end, from + 32))));
    const isTrusted = begins !== null && end - from <= maxTrusted;
    const step = isTrusted ? Number(begins[1]) : recordIn(parsed(decoder.decode(bytes.subarray(from, end))))?.["step"];
    if (typeof step === "number") steps.push(step);
    else bad ??= line;
  }
  return { steps, bad };
}

/** Describes the first deviation from the steps 1, 2, 3 ..., or returns null. @param steps - in file order */
export function stepDefect(steps: readonly number[]): string | null {
  for (const [i, step] of steps.entries()) {
    const own = i + 1;
    if (step === own) continue;
    const row = `row ${i + 1} is of step ${step}`;
    return step < own ? `${row}, which stands there already` : `${row}: step ${own} is lost`;
  }
  return null;
}
