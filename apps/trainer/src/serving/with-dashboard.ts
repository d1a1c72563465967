import { realpath } from "node:fs/promises";
import { makeFolders } from "@laconic/core/platform";
import { shellWord } from "@laconic/core/text";
import type { Terminal } from "../cli/terminal.ts";
import { interrupted } from "../cli/interruption.ts";

/** What is shown of a folder: the page of the run or the bench in it, or the list of all runs below. */
export interface Shown {
  readonly folder: string;
  readonly page: "run" | "bench" | "list";
}

/**
 * Does something that writes a folder, and shows the folder meanwhile where that is asked for, and afterwards until somebody stops it.
 * @param work - returns the exit code; where a signal has ended it, nothing stays open
 * @throws LaconicError what listening throws, and what the work throws
 */
export async function withDashboard(
  isAsked: boolean | undefined,
  { folder, page }: Shown,
  terminal: Terminal,
  work: () => Promise<number>,
): Promise<number> {
  if (!isAsked) return work();
  // Who does not look pays nothing for it.
  const [{ startViewServer }, { folderId }] = await Promise.all([import("./view-server.ts"), import("@laconic/view")]);
  await makeFolders(folder); // a run is named by where its folder really lies
  const own = page === "list" ? "" : `dashboard/#/${page}/${folderId(await realpath(folder))}`;
  const server = await startViewServer({ folders: [folder], mayCome: true, page: own }, terminal);
  terminal.note(`watch it: ${server.url}`);
  try {
    const code = await work();
    if (code > 128) return code;
    terminal.note(`still shown: ${server.url}; ctrl-c stops, and laconic view ${shellWord(folder)} shows it again`);
    await interrupted();
    return code;
  } finally {
    await server.close();
  }
}
