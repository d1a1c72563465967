import { bytesFlag, grouped, namesFlag, positional, textFlag, wholeFlag } from "../cli/arguments.ts";
import { resolve } from "node:path";
import { WeightsReceiver } from "@laconic/openai/fleet";
import { boundPort, closeServer, createHandlerServer, listen } from "@laconic/serve/server";
import { command, type Command } from "../cli/command.ts";
import { hostFlag } from "../cli/flags.ts";
import { interrupted } from "../cli/interruption.ts";
import { checkHost, keyFrom } from "../serving/host.ts";

/** Time for running chunks at shutdown. */
const graceSeconds = 3;
const patience = { headMs: 20_000, requestMs: 300_000, readMs: 60_000 };

export const receiveCommand: Command = command({
  description: "Receive weights over HTTP for an inference server without the trainer's disk",
  examples: ["laconic serve weights weights --host 0.0.0.0 --api-key-env WEIGHTS_KEY"],
  args: {
    folder: positional("Folder of the weights' versions for the inference server"),
    ...hostFlag,
    ...grouped("Server", {
      port: wholeFlag(0, 65_535)("Port to listen on; 0 for a free one", "n", "8790"),
      "allow-host": namesFlag("Other accepted host names, such as the machine's", "a,b"),
      "api-key-env": textFlag("Environment variable with the trainer's key", "NAME"),
    }),
    ...grouped("Limits", { "max-bytes": bytesFlag("Max size of a version", "size", "1TiB") }),
  },
  run: async (args, { terminal }) => {
    const { host, port } = args;
    const apiKey = keyFrom(args["api-key-env"]);
    checkHost(host, apiKey);
    const folder = resolve(args.folder);
    const { handler } = new WeightsReceiver({
      folder,
      maxBytes: args["max-bytes"],
      ...(apiKey !== null && { apiKey }),
    });
    const server = createHandlerServer(handler, (error) => terminal.note(String(error)), {
      ...patience,
      hosts: [host, ...(args["allow-host"] ?? [])],
      apiKey,
    });
    await listen(server, port, host);
    terminal.note(`receiving weights into ${folder} on http://${host}:${boundPort(server, port)}; ctrl-c stops`);
    await interrupted();
    await closeServer(server, graceSeconds * 1000);
  },
});
