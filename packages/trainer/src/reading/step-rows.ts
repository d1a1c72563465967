import { runFiles } from "@laconic/core/run-folder";
import { parsed, recordIn, rowsIn, type RunSource } from "./run-source.ts";

/** A larger file of metrics is not checked for lost rows, which takes some ten milliseconds. */
const maxChecked = 16 << 20;

/** Step of the last whole row of a run's metrics; 0 before the first. */
export async function lastStep(source: RunSource): Promise<number> {
  return (await lastRow(source, runFiles.metrics))?.["step"] ?? 0;
}

/** The last whole row of a file that has a step, read from the end; null without one. */
export async function lastRow(
  source: RunSource,
  name: string,
): Promise<(Readonly<Record<string, unknown>> & { readonly step: number }) | null> {
  const found = await source.stat(name);
  if (!found) return null;
  const { size } = found;
  // A row may be as long as readers of rows take it.
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

/** The first row of a run's metrics that is not that of its step; null without one, or for a file that is too large. */
export async function lostSteps(source: RunSource): Promise<string | null> {
  const found = await source.stat(runFiles.metrics);
  const bytes = found && found.size <= maxChecked ? await source.bytes(runFiles.metrics, 0, found.size) : null;
  if (!bytes) return null;
  const { steps, bad } = stepsIn(bytes);
  const defect = bad === null ? stepDefect(steps) : `line ${bad} is no row of a step`;
  return defect === null ? null : `${runFiles.metrics}: ${defect}`;
}

/** Longer rows are parsed whole: what they begin with says too little of them. */
const maxTrusted = 1 << 20;

/** The step of each row, and the first line without one, counted from 1. */
function stepsIn(bytes: Uint8Array): { readonly steps: readonly number[]; readonly bad: number | null } {
  const decoder = new TextDecoder();
  const steps: number[] = [];
  let line: number = 0;
  let bad: number | null = null;
  for (let from = 0, end = bytes.indexOf(10); end >= 0; from = end + 1, end = bytes.indexOf(10, from)) {
    line += 1;
    if (end === from) continue;
    // A trainer writes the step first, and the rest of a row need not be read.
    const begins = /^\{"step":(\d+)[,}]/u.exec(decoder.decode(bytes.subarray(from, Math.min(end, from + 32))));
    const isTrusted = begins !== null && end - from <= maxTrusted;
    const step = isTrusted ? Number(begins[1]) : recordIn(parsed(decoder.decode(bytes.subarray(from, end))))?.["step"];
    if (typeof step === "number") steps.push(step);
    else bad ??= line;
  }
  return { steps, bad };
}

/**
 * What is wrong with rows that should be those of the steps 1, 2, 3 ...; null where nothing is.
 * @param steps - of each row, in the order of the file
 */
export function stepDefect(steps: readonly number[]): string | null {
  for (const [i, step] of steps.entries()) {
    const own = i + 1;
    if (step === own) continue;
    const row = `row ${i + 1} is of step ${step}`;
    return step < own ? `${row}, which stands there already` : `${row}: step ${own} is lost`;
  }
  return null;
}
