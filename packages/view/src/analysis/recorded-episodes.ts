import { LaconicError } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { gradedEpisode } from "@laconic/evaluation/analysis";
import type { GivenAnswer } from "@laconic/evaluation/judging";
import { eachLine, nodeFileSystem, readSettings } from "@laconic/trainer";
import { eachEpisode, folderSource, shownEpisodes } from "@laconic/trainer/reading";

/**
 * @param source - run folder, or a transcript file of an earlier version
 * @param note - receives skipped damage
 * @throws LaconicError `run_missing`, `data_invalid` with file and row
 */
export async function recordedEpisodes(
  source: string,
  kind: "step" | "evaluation",
  note: (line: string) => void,
): Promise<RecordedEpisode[]> {
  const recorded: RecordedEpisode[] = [];
  if (source.endsWith(".jsonl"))
    for await (const row of eachLine(nodeFileSystem, source))
      recorded.push(gradedEpisode(row, source, recorded.length + 1));
  else for await (const each of eachEpisode(folderSource(source), kind, note)) recorded.push(gradedEpisode(each));
  if (recorded.length === 0)
    throw new LaconicError("run_missing", `there are no recorded episodes at ${source}`, { file: source });
  return recorded;
}

/** Answers of the last evaluation. @throws LaconicError `run_missing` */
export async function lastAnswers(run: string): Promise<GivenAnswer[]> {
  const settings = await readSettings(nodeFileSystem, run);
  const recorded: RecordedEpisode[] = [];
  for await (const each of shownEpisodes(folderSource(run), settings)) recorded.push(each);
  if (recorded.length === 0)
    throw new LaconicError("run_missing", `${run} holds no recorded episodes`, { directory: run });
  const last = Math.max(...recorded.map(({ step }) => step));
  return recorded
    .filter(({ step }) => step === last)
    .map(({ problem, episode }) => ({
      id: problem.id,
      question: problem.question,
      answer: episode.answer ?? "",
      ...(problem.gold !== "" && { reference: problem.gold }),
    }));
}
