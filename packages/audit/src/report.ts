import { formatCount, formatDuration } from "@laconic/core/text";
import type { AuditReport } from "./audit-run.ts";
import { stages, type Difference } from "./findings.ts";

/** Differences that are listed; `--json` has them all. */
const shown = 20;

/** An audit in words. */
export function auditText(report: AuditReport): string {
  const { steps, compared, differences, differencesTotal, notAuditable, files, weights, complete, seconds } = report;
  const { weightsChecked } = report;
  const values = Object.values(compared).reduce((sum, count) => sum + count, 0);
  const range = steps === null ? "no recorded steps" : `steps ${steps[0]} to ${steps[1]}`;
  return [
    `${complete ? "audited" : "interrupted while auditing"} ${range} in ${formatDuration(seconds)}: ${formatCount(values)} values compared; weights: ${weights.length === 0 ? "left out" : weights.join(", and ")}`,
    ...weightsChecked.map((each) => `  weights: ${each}`),
    ...stages.flatMap((stage) => {
      const count = compared[stage];
      if (count === undefined) return [];
      const own = differences.filter((each) => each.stage === stage).length;
      const largest = report.largest[stage] ?? 0;
      const gap = largest > 0 ? `, agree within ${largest.toExponential(1)}` : "";
      return [`  ${stage.padEnd(10)} ${String(count).padStart(9)} values${own > 0 ? `, ${own} differ` : gap}`];
    }),
    ...(notAuditable.length > 0 ? ["not auditable:"] : []),
    ...notAuditable.map(({ what, why }) => `  ${what}: ${why}`),
    "files:",
    ...files.map(({ file, state, why }) => `  ${state.padEnd(9)} ${file}: ${why}`),
    ...(differencesTotal === 0
      ? [steps === null ? "nothing to compare" : "the run agrees with its folder"]
      : [
          `${differencesTotal} ${differencesTotal === 1 ? "value differs" : "values differ"}; what stands first caused what follows from it:`,
          ...differences.slice(0, shown).map((each) => `  ${differenceText(each)}`),
          ...(differencesTotal > shown ? [`  and ${differencesTotal - shown} more (--json lists them)`] : []),
        ]),
  ].join("\n");
}

/** `step 3, policy policy, episode 5, agent solver, turn 3, sequence 23: advantage is -0.5 in the folder, expected 0.5`. */
function differenceText(difference: Difference): string {
  const { stage, key, expected, found, tolerance, ...place } = difference;
  const names = { optimizerStep: "optimiser step" } as const;
  const where = Object.entries(place)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name === "optimizerStep" ? names.optimizerStep : name} ${valueText(value)}`)
    .join(", ");
  const allowed = tolerance === undefined ? "" : ` (allowed: ${tolerance.toExponential(1)})`;
  return `${where === "" ? "" : `${where}: `}${stage}: ${key} is ${valueText(found)} in the folder, expected ${valueText(expected)}${allowed}`;
}

/** Short, and nothing of what a model wrote can move a cursor. */
function valueText(value: unknown): string {
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "nothing");
  const plain = text.replaceAll(/^"|"$/g, "").replaceAll(/\p{Cc}/gu, "?");
  return plain.length > 80 ? `${plain.slice(0, 80)}...` : plain;
}
