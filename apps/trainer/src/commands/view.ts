import { grouped, namesFlag, optionalPositional, textFlag, toggle, wholeFlag } from "../cli/arguments.ts";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { formatFileSize } from "@laconic/core/text";
import { systemOf } from "@laconic/core/platform";
import { benchFiles, runFiles } from "@laconic/core/run-folder";
import { runTokenizers } from "@laconic/runtime/run-tokenizers";
import { exportPage, folderId, type ExportedPage } from "@laconic/view";
import { command, type Command } from "../cli/command.ts";
import { runsFolder, writeGiven } from "../cli/files.ts";
import { exitCodeOfSignal, interrupted } from "../cli/interruption.ts";
import { printResult, visibleJson, type Terminal } from "../cli/terminal.ts";
import { startViewServer, type ViewServer } from "../serving/view-server.ts";

const pageFlags = {
  ...grouped("Server", { port: wholeFlag(0, 65_535)("Port to listen on; 0 for a free one", "n", "0") }),
  ...grouped("Output", { json: toggle("Print the address as one line of JSON") }),
} as const;

export const viewCommand: Command = command({
  description: "Show runs, sweeps and benches live in the browser, or write them as one file",
  examples: ["laconic view runs --open", "laconic view runs/quickstart --out quickstart.html"],
  args: {
    folder: optionalPositional("Folders of runs, sweeps or benches (default: runs, or this folder)"),
    ...pageFlags,
    ...grouped("Server", {
      host: textFlag("Address to listen on; public addresses need the printed token", "address", "127.0.0.1"),
      "allow-host": namesFlag("Other accepted host names, such as a proxy's", "a,b"),
      open: toggle("Open the page in the browser"),
    }),
    ...grouped("Output", { out: textFlag("Single HTML file to write instead of a server", "file") }),
    ...grouped("Limits", { "max-mb": wholeFlag(1, 500)("Max size of the --out file in MB", "n", "3") }),
  },
  rest: "words",
  run: async (args, { terminal, rest }) => {
    const here = existsSync(runsFolder) ? runsFolder : ".";
    const folders = args.folder === undefined ? [here] : [args.folder, ...rest];
    if (args.out !== undefined) {
      const file = resolve(args.out);
      const page = await writePages(file, folders, 1e6 * args["max-mb"], terminal);
      printResult(terminal, args.json, { file, ...page }, () => `${file} (${formatFileSize(page.bytes)})`);
      return 0;
    }
    const { host, port, "allow-host": names = [] } = args;
    const page = await ownPage(folders);
    const server = await startViewServer({ folders, host, port, names, page }, terminal);
    if (args.json) terminal.result(visibleJson({ url: server.url, folders }));
    else terminal.note(`${folders.join(", ")} on ${server.url}; ctrl-c stops`);
    if (args.open) openBrowser(server.url, (reason) => terminal.note(`the browser could not be opened: ${reason}`));
    return untilStopped(server);
  },
});

export const playgroundCommand: Command = command({
  description: "Train a team in the browser: the playground page, served on this machine",
  examples: ["laconic view playground --port 8080"],
  args: pageFlags,
  run: async ({ port, json }, { terminal }) => {
    // The page trains in the browser and shows no local runs.
    const server = await startViewServer({ folders: [], port, page: "playground/" }, terminal);
    if (json) terminal.result(visibleJson({ url: server.url }));
    else terminal.note(`the playground is on ${server.url}; ctrl-c stops`);
    return untilStopped(server);
  },
});

async function ownPage([folder, ...others]: readonly string[]): Promise<string> {
  if (folder === undefined || others.length > 0) return "";
  const isThere = (name: string): boolean => existsSync(join(folder, name));
  const isBench = [benchFiles.settings, benchFiles.samples].every(isThere);
  // A configuration without metrics may be a project's.
  if (!isBench && ![runFiles.config, runFiles.metrics].every(isThere)) return "";
  return `dashboard/#/${isBench ? "bench" : "run"}/${folderId(await realpath(folder))}`;
}

export async function writePages(
  file: string,
  folders: readonly string[],
  maxBytes: number,
  terminal: Terminal,
): Promise<Pick<ExportedPage, "bytes" | "leftOut">> {
  const done = terminal.begin("reading the runs");
  const { html, bytes, leftOut } = await exportPage({
    folders,
    maxBytes,
    now: new Date().getTime(),
    note: terminal.note,
    tokenizerOf: runTokenizers(terminal),
  }).finally(done);
  await writeGiven(file, html);
  for (const text of leftOut) terminal.note(`skipped: ${text}`);
  return { bytes, leftOut };
}

async function untilStopped(server: ViewServer): Promise<number> {
  const signal = await interrupted();
  await server.close();
  return exitCodeOfSignal(signal);
}

function openBrowser(url: string, onError: (reason: string) => void): void {
  const [program, ...args] = systemOf(process.platform).open(url);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.once("error", ({ message }) => onError(message));
  child.unref();
}
