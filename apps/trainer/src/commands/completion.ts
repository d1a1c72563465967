import { LaconicError, wordTable } from "@laconic/core";
import type { CommandDef } from "citty";
import list from "../../assets/commands.json" with { type: "json" };
import { command, type ExitCode } from "../cli/command.ts";
import { bashCompletion } from "../completion/bash.ts";
import type { CommandList } from "../completion/command-list.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";
import type { CommandContext } from "./common.ts";

const shells: Readonly<Record<string, (list: CommandList) => string>> = wordTable({
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
});

export function completionCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "completion",
      args: {
        shell: {
          type: "positional",
          required: true,
          description: "bash, zsh or fish; source <(laconic completion bash)",
          valueHint: Object.keys(shells).join("|"),
        },
      },
      run: async ({ shell }) => {
        const write = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
        if (!write)
          throw new LaconicError(
            "config_invalid",
            `there is no completion for ${shell}; known: ${Object.keys(shells).join(", ")}`,
            { shell },
          );
        terminal.result(write(list as CommandList).trimEnd());
        return 0;
      },
    },
    exit,
  );
}
