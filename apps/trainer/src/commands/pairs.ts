import type { CommandDef } from "citty";
import { playFlags, taskFlags } from "../bench/bench-flags.ts";
import { benchTasks } from "../bench/bench-tasks.ts";
import { taskBaselines } from "../bench/task-arguments.ts";
import { command, type ExitCode } from "../cli/command.ts";
import { spendingFlags, timeoutFlag } from "../run/spending.ts";
import { jsonFlag, trustFlag } from "../cli/flags.ts";
import type { CommandContext } from "./common.ts";

/** `laconic bench --tasks` under its former name, with the defaults that it had: goes with the next release. */
export function pairsCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  const { limit, ...shared } = playFlags;
  return command(
    {
      name: "pairs",
      args: {
        ...shared,
        methods: { ...shared.methods, default: taskBaselines },
        problems: { ...limit, description: "Test problems of each task", default: "100" },
        seed: { ...shared.seed, default: "pairs" },
        run: { ...shared.run, default: "pairs" },
        ...taskFlags,
        ...spendingFlags,
        ...timeoutFlag,
        ...trustFlag,
        ...jsonFlag,
      },
      run: (args) => {
        terminal.note("laconic pairs is now laconic bench --tasks; the old name goes with the next release");
        return benchTasks({ ...args, limit: args.problems }, terminal);
      },
    },
    exit,
  );
}
