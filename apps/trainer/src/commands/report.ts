import { resolve } from "node:path";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { writePicture, writeReport } from "../report/write-report.ts";
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
        svg: { type: "string", description: "Also draw the accuracy-token plane into this file", valueHint: "file" },
        ...jsonFlag,
      },
      run: async ({ directory, out, svg, json }) => {
        const file = await writeReport(resolve(directory), out === undefined ? undefined : resolve(out));
        if (svg !== undefined) await writePicture(resolve(directory), resolve(svg));
        terminal.result(json ? JSON.stringify({ report: file }) : file);
        return 0;
      },
    },
    exit,
  );
}
