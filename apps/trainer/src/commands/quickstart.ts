import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { relayQuickstart } from "@laconic/tasks/presets";
import { runFlags, type CommandContext } from "./common.ts";
import { runTraining } from "./train.ts";

const introduction = `A team of four learns to say less.
Three holders each know one fact; the solver must add up two of them and sees only what the holders write.
They share one small policy that starts wordy. Watch accuracy hold while the tokens per episode fall.`;

export function quickstartCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "quickstart",
      description: "Train a team to solve the same problems with a fraction of the words: minutes on two cores",
      args: runFlags,
      overrides: true,
      run: async (args, rest) => {
        terminal.note(`${introduction}\n`);
        // The preset is implied, not brought: a resumed run is what it was started as.
        return runTraining(
          args.resume ? null : { ...relayQuickstart },
          rest,
          { ...args, dryRun: args["dry-run"] },
          "quickstart",
          terminal,
        );
      },
    },
    exit,
  );
}
