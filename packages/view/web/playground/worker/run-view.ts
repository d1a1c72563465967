import { countTokens, LaconicError, type UnknownRecord } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { joinPath } from "@laconic/core/files";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { findCheckpoint, readLines, runFiles, type FileSystem } from "@laconic/trainer";
import { fileSystemSource, readRows, shownEpisodes } from "@laconic/trainer/reading";
import { rewardTerms } from "@laconic/rewards";
import { conversationOf, pointOf, teamOf } from "./conversation.ts";
import { runFolder } from "./kept-files.ts";
import type { EvaluationRow, RunView, TeamState } from "./messages.ts";
import { settingsOf } from "./run-config.ts";
import type { LevelName, PlaygroundSettings } from "./settings.ts";
import type { World } from "./world.ts";

export const shownProblems = 3;

export function emptyView(settings: PlaygroundSettings): RunView {
  return { settings, step: 0, points: [], evaluations: [], team: null, warnings: [] };
}

const path = (name: string): string => joinPath(runFolder, name);

/** Null without a run. @throws LaconicError `config_invalid` */
export async function configOfRun(files: FileSystem): Promise<UnknownRecord | null> {
  if (!(await files.exists(path(runFiles.config)))) return null;
  try {
    return boundedJson(new TextDecoder().decode(await files.read(path(runFiles.config)))) as UnknownRecord;
  } catch (error) {
    throw new LaconicError("config_invalid", "config.json of the kept run is not JSON any more", {}, error);
  }
}

/**
 * Reads a run folder up to its last checkpoint; null without a run.
 * @throws LaconicError `config_invalid` for unsupported settings, `checkpoint_corrupt`
 */
export async function viewOfRun(files: FileSystem, world: World, level: LevelName): Promise<RunView | null> {
  const config = await configOfRun(files);
  if (config === null) return null;
  const settings = settingsOf(config, level);
  const step = await stepOf(files, path(runFiles.checkpoints));
  if (step === null) return emptyView(settings);
  const source = fileSystemSource(files, runFolder);
  const upTo = async (name: string): Promise<UnknownRecord[]> =>
    (await readRows(source, name)).filter((row) => Number(row["step"]) <= step);
  const metrics = await upTo(runFiles.metrics);
  const episodes: RecordedEpisode[] = [];
  for await (const each of shownEpisodes(source, config)) episodes.push(each);
  return {
    settings,
    step,
    points: metrics.map((row) => pointOf(row, level)),
    evaluations: (await upTo(runFiles.evaluations)).map((row) => evaluationRow(row, episodes, world)),
    team: teamIn(metrics.at(-1)),
    warnings: (await readLines(files, path(runFiles.warnings))).map(({ message }) => String(message)),
  };
}

/** Last complete checkpoint; null without one. */
async function stepOf(files: FileSystem, checkpoints: string): Promise<number | null> {
  try {
    return (await findCheckpoint(files, checkpoints)).state.step;
  } catch (error) {
    if (LaconicError.is(error) && error.code === "checkpoint_missing") return null;
    throw error;
  }
}

function evaluationRow(row: UnknownRecord, episodes: readonly RecordedEpisode[], world: World): EvaluationRow {
  const { step, accuracy, interval, tokens, problems } = row as unknown as Omit<EvaluationRow, "shown">;
  const own = episodes.filter((each) => each.step === step).slice(0, shownProblems);
  const shown = own.map(({ problem, episode }) => conversationOf(world, problem, episode));
  return { step, accuracy, interval, tokens, problems, shown };
}

/** Means of a step from its metrics. The solver reads all messages without end tokens. */
function teamIn(row: UnknownRecord | undefined): TeamState | null {
  if (!row) return null;
  const episodes = Number(row["tokens/total"]) / Number(row["tokens/episode_mean"]);
  const written = named(row, /^tokens\/written\/(.+)$/u, (value) => value / episodes);
  const silence = named(row, /^silence\/(.+)\/frac$/u, (value) => value);
  const speakers = Object.entries(written).toSorted(([a], [b]) => Number(a === "solver") - Number(b === "solver"));
  const calls = speakers.map(([agent, writtenTokens], turn) => ({
    turn,
    round: 0,
    agent,
    promptTokens: 0,
    writtenTokens,
    reads:
      agent === "solver"
        ? speakers.slice(0, turn).map(([from, tokens], read) => ({ from, turn: read, tokens: Math.max(0, tokens - 1) }))
        : [],
  }));
  const costs = { tokens: countTokens({ calls }, { kind: "tokens-written" }) };
  const terms = rewardTerms({ task: 0, costs }, { tokens: Number(row["budget/tokens/lambda"]) });
  return { ...teamOf([{ episode: { ledger: { calls }, utterances: [] }, costs, terms }]), silence };
}

function named(row: UnknownRecord, name: RegExp, value: (number: number) => number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, number]) => {
      const [, found] = name.exec(key) ?? [];
      return found === undefined ? [] : [[found, value(Number(number))]];
    }),
  );
}
