import { realpath } from "node:fs/promises";
import { makeFolders } from "@laconic/core/platform";
import { shellWord } from "@laconic/core/text";
import type { Terminal } from "../cli/terminal.ts";
import { interrupted } from "../cli/interruption.ts";

/** Run or bench in a folder, or all runs below it. */
export interface Shown {
  readonly folder: string;
  readonly page: "run" | "bench" | "list";
}

/**
 * Shows a folder while work writes it, and until the user stops it.
 * @param work - returns the exit code; the dashboard closes after a signal
 * @throws LaconicError as listening and the work do
 */
export async function withDashboard(
  isAsked: boolean | undefined,
  { folder, page }: Shown,
  terminal: Terminal,
  work: () => Promise<number>,
): Promise<number> {
  if (!isAsked) return work();
  const [{ startViewServer }, { folderId }] = await Promise.all([import("./view-server.ts"), import("@laconic/view")]);
  await makeFolders(folder); // run ids need the real path
  const path = page === "list" ? "" : `dashboard/#/${page}/${folderId(await realpath(folder))}`;
  const server = await startViewServer({ folders: [folder], mayCome: true, page: path }, terminal);
  terminal.note(`watch it: ${server.url}`);
  try {
    const code = await work();
    if (code > 128) return code;
    terminal.note(`dashboard: ${server.url}; ctrl-c stops it, laconic view ${shellWord(folder)} opens it again`);
    await interrupted();
    return code;
  } finally {
    await server.close();
  }
}
