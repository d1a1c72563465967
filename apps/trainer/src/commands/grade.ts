import { performance } from "node:perf_hooks";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { readGradedCases, type CaseVerdict, type GradedCase } from "@laconic/benchmarks";
import { LaconicError } from "@laconic/core";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { readGiven } from "../cli/files.ts";
import { boardLines, boardReport, disagreementLines } from "../grading/board-report.ts";
import { judgeCases } from "../grading/judge-cases.ts";
import { mathVerifyVerdicts } from "../grading/math-verify.ts";
import { shareOf, talliesBy, type Judged, type Tally } from "../grading/tally.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

const ownBoard = fileURLToPath(new URL("../../assets/grader-board.jsonl", import.meta.url));

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
        const name = file ?? ownBoard;
        const bytes = name === "-" ? await buffer(process.stdin) : await readGiven(name);
        const whole = board === true || file === undefined || disagreements === true || peer === true;
        const cases: GradedCase[] = [];
        let refused = 0;
        for (const item of readGradedCases(name, bytes)) {
          if (!("reason" in item)) cases.push(item);
          else {
            refused++;
            terminal.note(`${item.file}:${item.row}: ${item.reason}`);
          }
        }
        if (whole && cases.every(({ verdict }) => (verdict ?? null) === null))
          throw new LaconicError("data_invalid", `${name} has no labelled pairs to compare verdicts with`, {
            file: name,
          });
        const judged: Judged[] = [];
        let start = performance.now();
        let before = process.cpuUsage();
        const ready = (): void => {
          [start, before] = [performance.now(), process.cpuUsage()];
        };
        for await (const [item, verdict] of judgeCases(cases, ready)) {
          judged.push({ item, verdict });
          if (!whole) terminal.result(json === true ? jsonRow(item, verdict) : textRow(item, verdict));
        }
        const { user, system } = process.cpuUsage(before);
        const time = { seconds: (performance.now() - start) / 1000, processorSeconds: (user + system) / 1e6 };
        if (whole) {
          const report = boardReport(judged, time, peer === true ? await mathVerifyVerdicts(cases) : undefined);
          if (json === true) terminal.result(JSON.stringify(report));
          else {
            for (const line of boardLines(report)) terminal.result(line);
            if (disagreements === true)
              for (const each of report.disagreements)
                for (const line of disagreementLines(each)) terminal.result(line);
          }
        } else
          for (const [kind, tally] of talliesBy(judged, (item) => [item.kind]))
            if (tally.pairs > 0) terminal.note(agreementLine(kind, tally));
        if (refused > 0) terminal.note(`${judged.length} rows judged, ${refused} could not be read`);
        return refused > 0 ? 1 : 0;
      },
    },
    exit,
  );
}

function jsonRow({ id }: GradedCase, { correct, extracted, rule, certainty }: CaseVerdict): string {
  return JSON.stringify({ id, verdict: correct, extracted, rule, certainty });
}

function textRow({ id }: GradedCase, { correct, extracted, rule }: CaseVerdict): string {
  const said = correct === null ? "found" : correct ? "right" : "wrong";
  const shown =
    extracted === null ? "-" : JSON.stringify(extracted.length > 60 ? `${extracted.slice(0, 60)}…` : extracted);
  return `${id.padEnd(10)} ${said}  ${shown}  (${rule})`;
}

function agreementLine(kind: string, { pairs, agree, falseAccepts, falseRejects }: Tally): string {
  const share = (100 * shareOf(agree, pairs).share).toFixed(1);
  return `${kind}: ${agree} of ${pairs} labels agree (${share} %), ${falseAccepts} false accepts, ${falseRejects} false rejects`;
}
