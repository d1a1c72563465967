import { join, resolve } from "node:path";
import type { CommandDef } from "citty";
import { settingsFile } from "@laconic/evaluation/bench";
import { command, type ExitCode } from "../cli/command.ts";
import { exists } from "../cli/files.ts";
import { readWarnings, reportBench, writePicture, writeReport } from "@laconic/report";
import { jsonFlag, type CommandContext } from "./common.ts";

export function reportCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "report",
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
        if (await exists(join(directory, settingsFile))) {
          const { files, markdown } = await reportBench(resolve(directory));
          terminal.result(json ? JSON.stringify({ report: files }) : markdown);
          return 0;
        }
        for (const warning of await readWarnings(resolve(directory)))
          terminal.note(`${terminal.paint("yellow", "warning")}: ${warning}`);
        const file = await writeReport(resolve(directory), out === undefined ? undefined : resolve(out));
        if (svg !== undefined) await writePicture(resolve(directory), resolve(svg));
        terminal.result(json ? JSON.stringify({ report: file }) : file);
        return 0;
      },
    },
    exit,
  );
}
