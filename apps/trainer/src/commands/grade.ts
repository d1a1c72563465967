import { grouped, optionalPositional, toggle } from "../cli/arguments.ts";
import { buffer } from "node:stream/consumers";
import { formatPercent } from "@laconic/core/text";
import { jsonLines } from "@laconic/benchmarks";
import { readGradedCases, type CaseRefusal, type GradedCase } from "@laconic/grading";
import { graderBoard, judgeCases, type BoardReport, type Judged, type Tally } from "@laconic/grading/board";
import { LaconicError } from "@laconic/core";
import { command, type Command } from "../cli/command.ts";
import { readGiven } from "../cli/files.ts";
import { jsonFlag } from "../cli/flags.ts";
import { printResult, visibleJson } from "../cli/terminal.ts";

export const gradeCommand: Command = command({
  description: "Grade replies against their gold answers; without FILE, test the grader on labelled pairs",
  examples: ["laconic grade replies.jsonl --json"],
  args: {
    file: optionalPositional(
      "JSON lines of id, kind, gold, prediction, and optional params, verdict, rule, tags; - reads standard input",
      "FILE.jsonl",
    ),
    ...grouped("Output", {
      board: toggle("Print accuracy by kind and tag instead of verdicts"),
      disagreements: toggle("Print --board and the pairs with another label"),
    }),
    ...jsonFlag,
  },
  run: async ({ file, board, disagreements, json }, { terminal }) => {
    const isWhole = board || file === undefined || disagreements;
    // Default: the grader's own board.
    const rows =
      file === undefined
        ? await graderBoard()
        : [
            ...readGradedCases(
              jsonLines(file, file === "-" ? await buffer(process.stdin) : await readGiven(file), { exact: true }),
            ),
          ];
    const cases = rows.filter((row): row is GradedCase => !("reason" in row));
    const refused = rows.filter((row): row is CaseRefusal => "reason" in row);
    for (const row of refused) terminal.note(`${row.file}:${row.row}: ${row.reason}`);
    if (isWhole && cases.every(({ verdict }) => (verdict ?? null) === null))
      throw new LaconicError("data_invalid", `${file} has no labelled pairs to compare verdicts with`, {
        file: file ?? "the board",
      });
    const report = await judgeCases(cases, ({ item: { id }, verdict }) => {
      if (isWhole) return;
      const { correct, extracted, rule, certainty } = verdict;
      const word = correct === null ? "found" : correct ? "right" : "wrong";
      terminal.result(
        json
          ? visibleJson({ id, verdict: correct, extracted, rule, certainty })
          : `${id.padEnd(10)} ${word}  ${quoted(extracted, 60)}  (${rule})`,
      );
    });
    if (isWhole) printResult(terminal, json, report, () => boardText(report, disagreements));
    else
      for (const [kind, { pairs, accuracy, falseAccepts, falseRejects }] of Object.entries(report.kinds))
        if (pairs > 0)
          terminal.note(
            `${kind}: ${accuracy.count} of ${pairs} labels agree (${formatPercent(accuracy.share)}), ${falseAccepts.count} false accepts, ${falseRejects.count} false rejects`,
          );
    if (refused.length > 0) terminal.note(`${cases.length} rows judged, ${refused.length} could not be read`);
    return refused.length > 0 ? 1 : 0;
  },
});

function boardText(report: BoardReport, withDisagreements: boolean): string {
  const { total, kinds, tags, verdictsPerSecond, verdictsPerProcessorSecond, disagreements } = report;
  return [
    `${"".padEnd(32)} pairs   as labelled, %          false accepts  false rejects`,
    ...[["all", total] as const, ...Object.entries(kinds), ...Object.entries(tags)].map(tallyLine),
    "",
    `${verdictsPerSecond} verdicts per second, ${verdictsPerProcessorSecond} per second of processor time`,
    ...(withDisagreements ? disagreements.flatMap(disagreementLines) : []),
  ].join("\n");
}

function tallyLine([name, { pairs, accuracy, falseAccepts, falseRejects }]: readonly [string, Tally]): string {
  const [low, high] = accuracy.interval.map((share) => (100 * share).toFixed(1));
  const shown = `${(100 * accuracy.share).toFixed(2)} (${low} to ${high})`;
  return `${name.padEnd(32)} ${String(pairs).padStart(5)}   ${shown.padEnd(22)} ${String(falseAccepts.count).padStart(6)}         ${String(falseRejects.count).padStart(6)}`;
}

/** Replies are quoted, so that they cannot control the terminal. */
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
    (sign) => `\\u${sign.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
}
