import type { ProbedFamily, ProbeRecord } from "@laconic/trainer/reading";
import { formatCells, formatNumber, formatPercent, formatShare } from "@laconic/core/text";
import type { Table } from "@laconic/evaluation";
import { columnsOf, printable } from "../runs/columns.ts";

/** What a fall means, and its interval. */
const probeMeaning =
  "A fall is the accuracy lost beside the run's own test problems; an interval that holds 0 shows none.";

/** A probe as a table: a row for the base, and one for each family. */
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

/** Sentences under the table: what it means, what the fresh reader does without messages, what rewards count, and which families there are not. */
function probeRemarks({ base, families, skipped }: ProbeRecord): string[] {
  const measured = families.flatMap(({ family, probed }) =>
    Object.entries(probed.measures ?? {}).flatMap(([name, value]) => {
      const before = base.measures?.[name];
      return before === undefined ? [] : [`${family}: ${name} ${formatNumber(before)} -> ${formatNumber(value)}.`];
    }),
  );
  const unheard = families.flatMap(({ family, probed, unheard: share }) =>
    share === undefined
      ? []
      : [`${family}: ${formatPercent(probed.accuracy)} from the messages, ${formatPercent(share)} without any.`],
  );
  return [probeMeaning, ...unheard, ...measured, ...skipped.map(({ family, reason }) => `no ${family}: ${reason}.`)];
}

/** A probe as a terminal shows it; names in it may be anybody's. */
export function probeText(record: ProbeRecord): string {
  const { title, columns, rows } = probeTable(record);
  const table = columnsOf([columns.map((each) => each.toUpperCase()), ...rows]);
  return printable([title, "", ...table, "", ...probeRemarks(record)].join("\n"));
}

function fallOf({ fall: { value, low, high } }: ProbedFamily): string {
  const interval = low === null || high === null ? "not estimable" : `${formatShare(low)} to ${formatShare(high)}`;
  return `${formatShare(value)} (${interval})`;
}
