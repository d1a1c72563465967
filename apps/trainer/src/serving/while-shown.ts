import type { Terminal } from "../cli/terminal.ts";

/**
 * Does something that writes a folder, and shows the folder meanwhile where that is asked for.
 * @throws LaconicError what listening throws, and what the work throws
 */
export async function whileShown<T>(
  isAsked: boolean | undefined,
  folder: string,
  terminal: Terminal,
  work: () => Promise<T>,
): Promise<T> {
  if (!isAsked) return work();
  // Who does not look pays nothing for it.
  const { startViewServer } = await import("./view-server.ts");
  const server = await startViewServer({ folders: [folder], mayCome: true }, terminal);
  terminal.note(`watch it: ${server.url} (until it ends; then: laconic view ${folder})`);
  try {
    return await work();
  } finally {
    await server.close();
  }
}
