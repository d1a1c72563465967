import { resolve } from "node:path";
import { WeightsReceiver } from "@laconic/openai/fleet";
import { boundPort, closeServer, createHandlerServer, listen } from "@laconic/serve/server";
import { command, type Command } from "../cli/command.ts";
import { interrupted } from "../cli/interruption.ts";
import { parseBytes, wholeNumber } from "../cli/numbers.ts";
import { checkHost, keyFrom } from "../serving/serve-arguments.ts";

/** For chunks that are on their way when the receiver is told to end. */
const graceSeconds = 3;
/** A chunk may come over a slow line. */
const patience = { headMs: 20_000, requestMs: 300_000, readMs: 60_000 };

/** Takes weights beside an inference server, until a signal. */
export const receiveCommand: Command = command({
  description: "Take weights over HTTP beside an inference server that shares no disk with the trainer",
  args: {
    folder: {
      type: "positional",
      description: "Where versions of the weights are kept, for the inference server to read",
    },
    host: { type: "string", description: "Address to listen on", default: "127.0.0.1", valueHint: "address" },
    port: { type: "string", description: "Port to listen on; 0 takes a free one", default: "8790", valueHint: "n" },
    "allow-host": {
      type: "string",
      description: "Names with commas that the trainer may call this receiver by, such as its machine's",
      valueHint: "a,b",
    },
    "api-key-env": {
      type: "string",
      description: "Environment variable that holds the key the trainer must send",
      valueHint: "NAME",
    },
    "max-bytes": {
      type: "string",
      description: "Largest version that is taken",
      default: "1TiB",
      valueHint: "size",
    },
  },
  run: async (args, { terminal }) => {
    const { host } = args;
    const apiKey = keyFrom(args["api-key-env"]);
    checkHost(host, apiKey);
    const port = wholeNumber("port", args.port, 0, 65_535);
    const folder = resolve(args.folder);
    const maxBytes = parseBytes("max-bytes", args["max-bytes"]);
    const { handler } = new WeightsReceiver({ folder, maxBytes, ...(apiKey !== null && { apiKey }) });
    const server = createHandlerServer(handler, (error) => terminal.note(String(error)), {
      ...patience,
      hosts: [host, ...(args["allow-host"]?.split(",") ?? [])],
      apiKey,
    });
    await listen(server, port, host);
    terminal.note(`taking weights into ${folder} on http://${host}:${boundPort(server, port)}; ctrl-c stops`);
    await interrupted();
    await closeServer(server, graceSeconds * 1000);
  },
});
