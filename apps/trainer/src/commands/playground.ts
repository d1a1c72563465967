import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { interrupted } from "../serving/interrupted.ts";
import { startViewServer } from "../serving/view-server.ts";
import type { CommandContext } from "./common.ts";

export function playgroundCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "playground",
      args: {
        port: { type: "string", description: "Port to listen on; 0 takes a free one", default: "0", valueHint: "n" },
        json: { type: "boolean", description: "Print the address as one line of JSON" },
      },
      run: async (args) => {
        const port = wholeNumber("port", args.port, 0, 65_535);
        // The page is the whole of it: it trains in the browser, and no run of this machine is shown.
        const server = await startViewServer({ folders: [], port, page: "playground/" }, terminal);
        if (args.json) terminal.result(JSON.stringify({ url: server.url }));
        else terminal.note(`the playground is on ${server.url}; ctrl-c stops`);
        const signal = await interrupted();
        await server.close();
        return signal === "SIGINT" ? 130 : 143;
      },
    },
    exit,
  );
}
