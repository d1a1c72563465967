import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderData, type EpisodePage, type EpisodeQuery, type FolderDataOptions, type ViewData } from "@laconic/view";
import { expect, onTestFinished } from "vitest";
import { tinyDuelParts, tinyParts, tinyRun, type TinyRunOptions } from "@laconic/trainer/testing";

export const settings = {
  steps: 4,
  problemsPerStep: 2,
  episodesPerProblem: 3,
  prices: { tokens: 0.1 },
  evaluation: { every: 2, problems: 5, transcripts: 2 },
  checkpoint: { every: 2, keep: 2 },
} as const;

/** Run of two agents: 4 steps of 6 episodes, evaluations of 5 at 0, 2 and 4. */
export function smallRun(directory: string, options: Partial<TinyRunOptions> = {}): ReturnType<typeof tinyRun> {
  const environment = { engine: { device: "none" } };
  return tinyRun({ directory, settings, parts: tinyParts("star"), environment, ...options });
}

/** Duel whose sides are played by a past self in turn, in every game. */
export function smallDuel(directory: string): ReturnType<typeof tinyRun> {
  const opponents = { sides: [["left"], ["right"]], latest: 0, every: 2, keep: 2 };
  return smallRun(directory, { settings: { ...settings, groupBy: "prompt+agent", opponents }, parts: tinyDuelParts() });
}

export async function somePages(folder: string): Promise<string> {
  for (const name of ["dashboard", "playground"]) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, "index.html"), `<!doctype html><title>${name}</title>`);
  }
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "assets", "index-CTztFo-H.js"), "export {};");
  return folder;
}

export function manualEvery(): {
  readonly every: (milliseconds: number, work: () => void) => () => void;
  readonly running: ReadonlySet<() => void>;
} {
  const running = new Set<() => void>();
  return {
    running,
    every: (_, work) => {
      running.add(work);
      return () => void running.delete(work);
    },
  };
}

export async function openedData(
  folders: readonly string[],
  options: Partial<FolderDataOptions> = {},
): Promise<ViewData> {
  const data = await folderData({ folders, onError: (error) => expect(error).toBeNull(), ...options });
  onTestFinished(() => data.close());
  return data;
}

export async function pageOf(data: ViewData, id: string, query: EpisodeQuery = {}): Promise<EpisodePage> {
  return (await data.episodes(id, query)) as EpisodePage;
}
