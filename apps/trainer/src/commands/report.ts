import { resolve } from "node:path";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { writeReport } from "../report/write-report.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

export function reportCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "report",
      description: "Write a run's report: one self-contained HTML page with charts and transcripts",
      args: {
        directory: { type: "positional", required: true, description: "Run directory" },
        out: {
          type: "string",
          description: "File to write; report.html in the run directory by default",
          valueHint: "file",
        },
        ...jsonFlag,
      },
      run: async ({ directory, out, json }) => {
        const file = await writeReport(resolve(directory), out === undefined ? undefined : resolve(out));
        terminal.result(json ? JSON.stringify({ report: file }) : file);
        return 0;
      },
    },
    exit,
  );
}
