import { buffer } from "node:stream/consumers";
import { formatPercent } from "@laconic/core/text";
import { jsonLines } from "@laconic/benchmarks";
import { readGradedCases, type CaseRefusal, type GradedCase } from "@laconic/grading";
import { graderBoard, judgeCases, type BoardReport, type Judged, type Tally } from "@laconic/grading/board";
import { LaconicError } from "@laconic/core";
import { command, type Command } from "../cli/command.ts";
import { readGiven } from "../cli/files.ts";
import { jsonFlag } from "../cli/flags.ts";
import { visibleJson } from "../cli/visible-json.ts";

export const gradeCommand: Command = command({
  description:
    "Judge replies by their gold answers, one verdict a row; without FILE the grader's own board of labelled pairs",
  args: {
    file: {
      type: "positional",
      description:
        "JSON lines of id, kind, gold, prediction, params and, if labelled, verdict, rule, tags; - reads standard input",
      valueHint: "FILE.jsonl",
      required: false,
    },
    board: {
      type: "boolean",
      description: "Instead of a verdict a row: accuracy, false accepts and rejects by kind and tag, and the speed",
    },
    disagreements: { type: "boolean", description: "With --board: also every pair that is not judged as labelled" },
    ...jsonFlag,
  },
  run: async ({ file, board, disagreements, json }, { terminal }) => {
    const whole = board === true || file === undefined || disagreements === true;
    const { cases, refused } = await casesOf(file);
    for (const each of refused) terminal.note(`${each.file}:${each.row}: ${each.reason}`);
    if (whole && cases.every(({ verdict }) => (verdict ?? null) === null))
      throw new LaconicError("data_invalid", `${file} has no labelled pairs to compare verdicts with`, {
        file: file ?? "the board",
      });
    const report = await judgeCases(cases, (judged) => {
      if (!whole) terminal.result(json === true ? jsonRow(judged) : textRow(judged));
    });
    if (!whole)
      for (const [kind, tally] of Object.entries(report.kinds))
        if (tally.pairs > 0) terminal.note(agreementLine(kind, tally));
    if (whole && json === true) terminal.result(visibleJson(report));
    if (whole && json !== true) for (const line of boardLines(report, disagreements === true)) terminal.result(line);
    if (refused.length > 0) terminal.note(`${cases.length} rows judged, ${refused.length} could not be read`);
    return refused.length > 0 ? 1 : 0;
  },
});

/** The cases of a file, or without one of the grader's board. */
async function casesOf(
  file: string | undefined,
): Promise<{ readonly cases: readonly GradedCase[]; readonly refused: readonly CaseRefusal[] }> {
  if (file === undefined) return { cases: await graderBoard(), refused: [] };
  const bytes = file === "-" ? await buffer(process.stdin) : await readGiven(file);
  const rows = [...readGradedCases(jsonLines(file, bytes, { exact: true }))];
  return {
    cases: rows.filter((row): row is GradedCase => !("reason" in row)),
    refused: rows.filter((row): row is CaseRefusal => "reason" in row),
  };
}

function jsonRow({ item: { id }, verdict: { correct, extracted, rule, certainty } }: Judged): string {
  return visibleJson({ id, verdict: correct, extracted, rule, certainty });
}

function textRow({ item: { id }, verdict: { correct, extracted, rule } }: Judged): string {
  const said = correct === null ? "found" : correct ? "right" : "wrong";
  return `${id.padEnd(10)} ${said}  ${quoted(extracted, 60)}  (${rule})`;
}

function agreementLine(kind: string, { pairs, accuracy, falseAccepts, falseRejects }: Tally): string {
  return `${kind}: ${accuracy.count} of ${pairs} labels agree (${formatPercent(accuracy.share)}), ${falseAccepts.count} false accepts, ${falseRejects.count} false rejects`;
}

function boardLines(report: BoardReport, withDisagreements: boolean): string[] {
  const { total, kinds, tags, verdictsPerSecond, verdictsPerProcessorSecond, disagreements } = report;
  return [
    `${"".padEnd(32)} pairs   as labelled, %          false accepts  false rejects`,
    ...[["all", total] as const, ...Object.entries(kinds), ...Object.entries(tags)].map(tallyLine),
    "",
    `${verdictsPerSecond} verdicts a second, ${verdictsPerProcessorSecond} a second of processor time`,
    ...(withDisagreements ? disagreements.flatMap(disagreementLines) : []),
  ];
}

function tallyLine([name, { pairs, accuracy, falseAccepts, falseRejects }]: readonly [string, Tally]): string {
  const [low, high] = accuracy.interval.map((share) => (100 * share).toFixed(1));
  const shown = `${(100 * accuracy.share).toFixed(2)} (${low} to ${high})`;
  return `${name.padEnd(32)} ${String(pairs).padStart(5)}   ${shown.padEnd(22)} ${String(falseAccepts.count).padStart(6)}         ${String(falseRejects.count).padStart(6)}`;
}

/** On three lines; what a reply holds is quoted, so that it cannot act on a terminal. */
function disagreementLines({ item, verdict }: Judged): string[] {
  const about = [...(item.tags ?? []), ...(item.rule === undefined ? [] : [`rule ${item.rule}`])].join(", ");
  return [
    `${item.id} [${about}] judged ${verdict.correct ? "right" : "wrong"}, labelled ${item.verdict ? "right" : "wrong"}`,
    `  gold ${quoted(item.gold, 200)}, reply ${quoted(item.prediction, 200)}`,
    `  found ${quoted(verdict.extracted, 200)} (${verdict.rule})`,
  ];
}

function quoted(text: string | null, longest: number): string {
  if (text === null) return "-";
  const shown = JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
  return shown.replaceAll(
    /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu,
    (sign) => `\\u${(sign.codePointAt(0) as number).toString(16).padStart(4, "0")}`,
  );
}
