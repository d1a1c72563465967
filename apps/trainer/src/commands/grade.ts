import { buffer } from "node:stream/consumers";
import { gradeCase, mathsGrader, readGradedCases, type CaseVerdict, type GradedCase } from "@laconic/benchmarks";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { readGiven } from "../cli/files.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

/** Verdicts and labels of one kind of case. */
interface Agreement {
  labelled: number;
  agree: number;
  falseAccepts: number;
  falseRejects: number;
}

export function gradeCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "grade",
      description:
        "Judge replies by their gold answers, one verdict a row; agreement with labels goes to standard error",
      args: {
        file: {
          type: "positional",
          description:
            "JSON lines of id, kind, gold, prediction, params and, if labelled, verdict; - reads standard input",
          valueHint: "FILE.jsonl",
          required: true,
        },
        ...jsonFlag,
      },
      run: async ({ file, json }) => {
        const bytes = file === "-" ? await buffer(process.stdin) : await readGiven(file);
        const agreements = new Map<string, Agreement>();
        const maths = mathsGrader();
        let [rows, refused] = [0, 0];
        try {
          // Graded together, told in the file's order.
          const verdicts = [...readGradedCases(file, bytes)].map((item) =>
            "reason" in item ? { item } : { item, verdict: gradeCase(item, maths) },
          );
          // One that fails is told when its turn comes.
          for (const { verdict } of verdicts) verdict?.catch(() => undefined);
          for (const { item, verdict } of verdicts) {
            if (verdict === undefined) {
              refused++;
              if ("reason" in item) terminal.note(`${item.file}:${item.row}: ${item.reason}`);
              continue;
            }
            const judged = await verdict;
            rows++;
            terminal.result(json === true ? jsonRow(item, judged) : textRow(item, judged));
            count(agreements, item, judged);
          }
        } finally {
          await maths.close();
        }
        for (const [kind, agreement] of agreements) terminal.note(agreementLine(kind, agreement));
        if (refused > 0) terminal.note(`${rows} rows judged, ${refused} could not be read`);
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

function count(agreements: Map<string, Agreement>, { kind, verdict }: GradedCase, { correct }: CaseVerdict): void {
  if (typeof verdict !== "boolean" || correct === null) return;
  const agreement = agreements.get(kind) ?? { labelled: 0, agree: 0, falseAccepts: 0, falseRejects: 0 };
  agreement.labelled++;
  if (verdict === correct) agreement.agree++;
  else if (correct) agreement.falseAccepts++;
  else agreement.falseRejects++;
  agreements.set(kind, agreement);
}

function agreementLine(kind: string, { labelled, agree, falseAccepts, falseRejects }: Agreement): string {
  const share = ((100 * agree) / labelled).toFixed(1);
  return `${kind}: ${agree} of ${labelled} labels agree (${share} %), ${falseAccepts} false accepts, ${falseRejects} false rejects`;
}
