import { bytesFlag, namesFlag, positional, textFlag, wholeFlag } from "../cli/arguments.ts";
import { resolve } from "node:path";
import { WeightsReceiver } from "@laconic/openai/fleet";
import { boundPort, closeServer, createHandlerServer, listen } from "@laconic/serve/server";
import { command, type Command } from "../cli/command.ts";
import { hostFlag } from "../cli/flags.ts";
import { interrupted } from "../cli/interruption.ts";
import { checkHost, keyFrom } from "../serving/host.ts";

/** Time for running chunks at shutdown. */
const graceSeconds = 3;
/** Allows slow lines. */
const patience = { headMs: 20_000, requestMs: 300_000, readMs: 60_000 };

export const receiveCommand: Command = command({
  description: "Take weights over HTTP beside an inference server that shares no disk with the trainer",
  args: {
    folder: positional("Where versions of the weights are kept, for the inference server to read"),
    host: hostFlag,
    port: wholeFlag(0, 65_535)("Port to listen on; 0 takes a free one", "n", "8790"),
    "allow-host": namesFlag(
      "Names with commas that the trainer may call this receiver by, such as its machine's",
      "a,b",
    ),
    "api-key-env": textFlag("Environment variable that holds the key the trainer must send", "NAME"),
    "max-bytes": bytesFlag("Largest version that is taken", "size", "1TiB"),
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
    terminal.note(`taking weights into ${folder} on http://${host}:${boundPort(server, port)}; ctrl-c stops`);
    await interrupted();
    await closeServer(server, graceSeconds * 1000);
  },
});
