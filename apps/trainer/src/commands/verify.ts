import { grouped, positional, namesFlag } from "../cli/arguments.ts";
import { resolve } from "node:path";
import { verifyRun, verifyText } from "@laconic/verify";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag } from "../cli/flags.ts";
import { printResult } from "../cli/terminal.ts";

/** 2 means refused in all commands. */
const exitCodes = { agrees: 0, contradicts: 1, partial: 3 } as const;

export const verifyCommand: Command = command({
  description: "Check a run folder with plain formulas, and list what is not checked",
  examples: ["laconic verify runs/quickstart", "laconic verify runs/quickstart --allow weights"],
  args: {
    run: positional("Run folder, also during training"),
    ...grouped("Limits", { allow: namesFlag("Unchecked parts that still give exit code 0", "weights,files") }),
    ...jsonFlag,
  },
  run: async ({ run, allow, json }, { terminal }) => {
    const report = await verifyRun(resolve(run), allow);
    printResult(terminal, json, report, verifyText);
    return exitCodes[report.verdict];
  },
});
