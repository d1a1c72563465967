import { positional, namesFlag } from "../cli/arguments.ts";
import { resolve } from "node:path";
import { verifyRun, verifyText } from "@laconic/verify";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag } from "../cli/flags.ts";
import { printResult } from "../cli/terminal.ts";

/** 2 means refused in all commands. */
const exitCodes = { agrees: 0, contradicts: 1, partial: 3 } as const;

export const verifyCommand: Command = command({
  description: "Check a run's folder with plain formulas, and name what they do not cover",
  args: {
    run: positional("Run directory; one that is being written will do"),
    allow: namesFlag("Names of what need not be covered, for exit code 0; they are still listed", "weights,files"),
    ...jsonFlag,
  },
  run: async ({ run, allow, json }, { terminal }) => {
    const report = await verifyRun(resolve(run), allow);
    printResult(terminal, json, report, verifyText);
    return exitCodes[report.verdict];
  },
});
