import type { ProbedFamily, ProbeRecord } from "@laconic/trainer/reading";
import { formatCells, formatNumber, formatPercent, formatShare } from "@laconic/core/text";
import type { Table } from "@laconic/evaluation";
import { columnsOf, printable } from "../runs/columns.ts";

/** Base, then one row per family. */
export function probeTable({ base, families, step }: ProbeRecord): Table {
  return {
    title: `Other problems and teammates, at step ${step}`,
    columns: [
      "family",
      "problems",
      "accuracy, base",
      "probed",
      "fall, points (95 % interval)",
      "tokens",
      "what changed",
    ],
    rows: formatCells([
      ["test problems", String(base.problems), formatPercent(base.accuracy), "", "", base.tokens, ""],
      ...families.map((each) => [
        each.isPaired ? each.family : `${each.family} (unpaired)`,
        String(each.problems),
        formatPercent(each.base.accuracy),
        formatPercent(each.probed.accuracy),
        fallOf(each),
        each.probed.tokens,
        each.change,
      ]),
    ]),
  };
}

/** Table, explanation, reader without messages, other measures, skipped families. */
export function probeText(record: ProbeRecord): string {
  const { base, families, skipped } = record;
  const { title, columns, rows } = probeTable(record);
  const remarks = [
    "A fall is the accuracy lost beside the run's own test problems; an interval that holds 0 shows none.",
  ];
  for (const { family, probed, unheard } of families)
    if (unheard !== undefined)
      remarks.push(
        `${family}: ${formatPercent(probed.accuracy)} from the messages, ${formatPercent(unheard)} without any.`,
      );
  for (const { family, probed } of families)
    for (const [name, value] of Object.entries(probed.measures ?? {})) {
      const before = base.measures?.[name];
      if (before !== undefined) remarks.push(`${family}: ${name} ${formatNumber(before)} -> ${formatNumber(value)}.`);
    }
  for (const { family, reason } of skipped) remarks.push(`no ${family}: ${reason}.`);
  const table = columnsOf([columns.map((column) => column.toUpperCase()), ...rows]);
  return printable([title, "", ...table, "", ...remarks].join("\n"));
}

function fallOf({ fall: { value, low, high } }: ProbedFamily): string {
  const interval = low === null || high === null ? "not estimable" : `${formatShare(low)} to ${formatShare(high)}`;
  return `${formatShare(value)} (${interval})`;
}
