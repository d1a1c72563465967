import { positional } from "../cli/arguments.ts";
import { LaconicError } from "@laconic/core";
import list from "../../assets/commands.json" with { type: "json" };
import { command, type Command } from "../cli/command.ts";
import { visibleJson } from "../cli/visible-json.ts";
import type { CommandList } from "../completion/command-list.ts";
import { completeWords } from "../completion/complete-words.ts";
import { completionScripts } from "../completion/scripts.ts";

const targets = [...Object.keys(completionScripts), "schema"];

export const completionCommand: Command = command({
  description: "Print what completes commands in bash, zsh or fish, or the JSON schema of configurations for editors",
  args: {
    target: positional("source <(laconic completion bash) loads the script into a shell", targets.join("|")),
  },
  rest: "words",
  run: async ({ target }, { terminal, rest }) => {
    if (target === "words") {
      for (const { word, description } of completeWords(list as CommandList, rest, targets))
        terminal.result(`${word}\t${description}`);
      return;
    }
    if (target === "schema") {
      const { configurationSchema } = await import("@laconic/runtime");
      terminal.result(visibleJson(configurationSchema(), 2));
      return;
    }
    const script = Object.hasOwn(completionScripts, target) ? completionScripts[target] : undefined;
    if (script === undefined)
      throw new LaconicError("config_invalid", `there is no completion for ${target}; known: ${targets.join(", ")}`, {
        shell: target,
      });
    terminal.result(script);
  },
});
