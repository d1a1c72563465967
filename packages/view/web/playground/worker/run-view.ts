import { isRecord, LaconicError, type UnknownRecord } from "@laconic/core";
import { joinPath } from "@laconic/core/files";
import { boundedJson } from "@laconic/core/json";
import { findCheckpoint, readLines, runFiles, type FileSystem } from "@laconic/trainer";
import {
  EpisodeFile,
  episodeContent,
  fileSystemSource,
  readRows,
  type EpisodeEntry,
  type RunSource,
} from "@laconic/trainer/reading";
import { costSettingsOf } from "../../../src/data/episode-detail.ts";
import { speechOf } from "../../../src/data/episode-rows.ts";
import type { TeamSpeech } from "../../../src/protocol.ts";
import { pointOf } from "./conversation.ts";
import { runFolder } from "./kept-files.ts";
import type { EvaluationRow, RunView } from "./messages.ts";
import { settingsOf } from "./run-config.ts";
import type { LevelName, PlaygroundSettings } from "./settings.ts";

/** Row of `evaluations.jsonl`, or an evaluation. */
export function evaluationRow(row: UnknownRecord | EvaluationRow): EvaluationRow {
  const { step, accuracy, interval, tokens, problems } = row as EvaluationRow;
  return { step, accuracy, interval, tokens, problems };
}

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
    throw new LaconicError("config_invalid", "config.json of the saved run is not valid JSON", {}, error);
  }
}

/**
 * Reads a run folder up to its last checkpoint; null without a run.
 * @throws LaconicError `config_invalid` for unsupported settings, `checkpoint_corrupt`
 */
export async function viewOfRun(files: FileSystem, level: LevelName): Promise<RunView | null> {
  const config = await configOfRun(files);
  if (config === null) return null;
  const settings = settingsOf(config, level);
  const step = await stepOf(files, path(runFiles.checkpoints));
  if (step === null) return emptyView(settings);
  const source = fileSystemSource(files, runFolder);
  const upTo = async (name: string): Promise<UnknownRecord[]> =>
    (await readRows(source, name)).filter((row) => Number(row["step"]) <= step);
  return {
    settings,
    step,
    points: (await upTo(runFiles.metrics)).map((row) => pointOf(row, level)),
    evaluations: (await upTo(runFiles.evaluations)).map(evaluationRow),
    team: await teamAt(step, source, config["train"]),
    warnings: (await readLines(files, path(runFiles.warnings))).map(({ message }) => String(message)),
  };
}

async function stepOf(files: FileSystem, checkpoints: string): Promise<number | null> {
  try {
    return (await findCheckpoint(files, checkpoints)).state.step;
  } catch (error) {
    if (LaconicError.is(error) && error.code === "checkpoint_missing") return null;
    throw error;
  }
}

/** Means of a recorded step; null before the first. */
async function teamAt(step: number, source: RunSource, train: unknown): Promise<TeamSpeech | null> {
  const entries: EpisodeEntry[] = [];
  await new EpisodeFile(source).readNew({
    reset: () => undefined,
    damage: () => undefined,
    entry: (entry) => {
      if (entry.kind === "step" && entry.step === step && entry.isComplete) entries.push(entry);
    },
  });
  const last = entries.at(-1);
  return last ? speechOf(step, await episodeContent(source, last), costSettingsOf(isRecord(train) ? train : {})) : null;
}
