import type { CommandDef } from "citty";
import { configurationSchema } from "@laconic/runtime";
import { command, type ExitCode } from "../cli/command.ts";
import type { CommandContext } from "./common.ts";
import { visibleJson } from "../cli/visible-json.ts";

export function schemaCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "schema",
      args: {},
      run: () => {
        terminal.result(visibleJson(configurationSchema(), 2));
        return Promise.resolve(0);
      },
    },
    exit,
  );
}
