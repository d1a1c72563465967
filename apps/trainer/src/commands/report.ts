import { grouped, positional, textFlag } from "../cli/arguments.ts";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { settingsFile } from "@laconic/evaluation/bench";
import { command, type Command } from "../cli/command.ts";
import { writeGiven } from "../cli/files.ts";
import { printResult } from "../cli/terminal.ts";
import { readReport, writeBench } from "@laconic/view/report";
import { jsonFlag } from "../cli/flags.ts";
import { writePages } from "./view.ts";

const maxBytes = 3_000_000;

export const reportCommand: Command = command({
  description: "Write a run's report as one HTML page, or the tables of a bench",
  examples: ["laconic view report runs/quickstart --out report.html"],
  args: {
    directory: positional("Run or bench folder", "RUN"),
    ...grouped("Output", {
      out: textFlag("Report file (default: report.html in the run folder)", "file"),
      svg: textFlag("File for the accuracy-token picture", "file"),
    }),
    ...jsonFlag,
  },
  run: async ({ directory, out, svg, json }, { terminal }) => {
    if (existsSync(join(directory, settingsFile))) {
      const { files, markdown } = await writeBench(resolve(directory));
      printResult(terminal, json, { report: files }, () => markdown);
      return 0;
    }
    const { warnings, picture } = await readReport(resolve(directory));
    for (const warning of warnings) terminal.warn(warning);
    if (svg !== undefined) await writeGiven(resolve(svg), picture());
    const file = resolve(out ?? join(directory, "report.html"));
    await writePages(file, [directory], maxBytes, terminal);
    printResult(terminal, json, { report: file }, () => file);
    return 0;
  },
});
