import { buffer } from "node:stream/consumers";
import { formatPercent } from "@laconic/core/text";
import { findPython } from "@laconic/core/platform";
import { jsonLines } from "@laconic/benchmarks";
import type { CaseVerdict, GradedCase } from "@laconic/grading";
import {
  boardLines,
  boardReport,
  disagreementLines,
  gradedCases,
  graderBoard,
  judgeCases,
  mathVerifyVerdicts,
  shareOf,
  talliesBy,
  type Tally,
} from "@laconic/grading/board";
import { LaconicError } from "@laconic/core";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { readGiven } from "../cli/files.ts";
import { jsonFlag } from "../cli/flags.ts";
import type { CommandContext } from "./common.ts";
import { visibleJson } from "../cli/visible-json.ts";

export function gradeCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "grade",
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
        "math-verify": {
          type: "boolean",
          description: "With --board: Math-Verify beside it, where LACONIC_PYTHON has it",
        },
        ...jsonFlag,
      },
      run: async ({ file, board, disagreements, json, "math-verify": peer }) => {
        const whole = board === true || file === undefined || disagreements === true || peer === true;
        const { cases, refused } =
          file === undefined
            ? { cases: await graderBoard(), refused: [] }
            : gradedCases(
                jsonLines(file, file === "-" ? await buffer(process.stdin) : await readGiven(file), { exact: true }),
              );
        for (const each of refused) terminal.note(`${each.file}:${each.row}: ${each.reason}`);
        if (whole && cases.every(({ verdict }) => (verdict ?? null) === null))
          throw new LaconicError("data_invalid", `${file} has no labelled pairs to compare verdicts with`, {
            file: file ?? "the board",
          });
        const { judged, time } = await judgeCases(cases, (item, verdict) => {
          if (!whole) terminal.result(json === true ? jsonRow(item, verdict) : textRow(item, verdict));
        });
        if (whole) {
          const report = boardReport(
            judged,
            time,
            peer === true ? await mathVerifyVerdicts(cases, findPython()) : undefined,
          );
          if (json === true) terminal.result(visibleJson(report));
          else {
            for (const line of boardLines(report)) terminal.result(line);
            if (disagreements === true)
              for (const each of report.disagreements)
                for (const line of disagreementLines(each)) terminal.result(line);
          }
        } else
          for (const [kind, tally] of talliesBy(judged, (item) => [item.kind]))
            if (tally.pairs > 0) terminal.note(agreementLine(kind, tally));
        if (refused.length > 0) terminal.note(`${judged.length} rows judged, ${refused.length} could not be read`);
        return refused.length > 0 ? 1 : 0;
      },
    },
    exit,
  );
}

function jsonRow({ id }: GradedCase, { correct, extracted, rule, certainty }: CaseVerdict): string {
  return visibleJson({ id, verdict: correct, extracted, rule, certainty });
}

function textRow({ id }: GradedCase, { correct, extracted, rule }: CaseVerdict): string {
  const said = correct === null ? "found" : correct ? "right" : "wrong";
  const shown =
    extracted === null ? "-" : JSON.stringify(extracted.length > 60 ? `${extracted.slice(0, 60)}…` : extracted);
  return `${id.padEnd(10)} ${said}  ${shown}  (${rule})`;
}

function agreementLine(kind: string, { pairs, agree, falseAccepts, falseRejects }: Tally): string {
  return `${kind}: ${agree} of ${pairs} labels agree (${formatPercent(shareOf(agree, pairs).share)}), ${falseAccepts} false accepts, ${falseRejects} false rejects`;
}
