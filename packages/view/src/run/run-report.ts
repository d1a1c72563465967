import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { visibleText } from "@laconic/core/text";
import { writeBenchReport, type BenchReport } from "@laconic/evaluation/bench";
import { configOfRun } from "@laconic/runtime";
import { readSpent } from "@laconic/runtime/spending";
import { damagedRows, nodeFileSystem, readSettings } from "@laconic/trainer";
import { folderSource, nodeProcesses, readRunFacts, shownEpisodes } from "@laconic/trainer/reading";
import { planeFile } from "../charts/plane.ts";
import { runPlane } from "../charts/run-plane.ts";
import { budgetOf } from "../runs/settings.ts";

/** Text and picture of a run, for terminals and READMEs. */
export interface RunReport {
  readonly warnings: readonly string[];
  /** First problem recorded before and after training; null without one. */
  firstProblem(): Promise<string | null>;
  /** SVG file. @throws LaconicError `run_missing` before the first evaluation */
  picture(): string;
}

/** Evaluations at each end of a long run whose episodes are read; the middle can be gigabytes. */
const maxEnds = 10;

/** Reads the report of a run folder. @throws LaconicError `run_missing` for a folder without a run */
export async function readReport(directory: string): Promise<RunReport> {
  const config = await readSettings(nodeFileSystem, directory);
  const source = folderSource(directory);
  const facts = await readRunFacts(source, { processes: nodeProcesses });
  const damage = await damagedRows(nodeFileSystem, directory);
  const isNew = damage !== null && !facts.warnings.includes(damage);
  const steps = facts.evaluations.map(({ step }) => step);
  return {
    warnings: [...(isNew ? [damage] : []), ...facts.warnings],
    async firstProblem() {
      const isLong = steps.length > 2 * maxEnds;
      const ends = isLong ? new Set([...steps.slice(0, maxEnds), ...steps.slice(-maxEnds)]) : null;
      const problems = new Map<string, { readonly first: RecordedEpisode; last: RecordedEpisode }>();
      for await (const episode of shownEpisodes(source, config, ends)) {
        const entry = problems.get(episode.problem.id);
        if (entry) entry.last = episode;
        else problems.set(episode.problem.id, { first: episode, last: episode });
      }
      const pair = [...problems.values()].find(({ first, last }) => first.step < last.step);
      if (!pair) return null;
      const { question, gold } = pair.first.problem;
      return [
        `first validation problem: ${shortened(question)}, expected ${shortened(gold)}`,
        conversationText(pair.first, "before"),
        conversationText(pair.last, "after"),
      ].join("\n");
    },
    picture() {
      const end = facts.evaluations.at(-1);
      if (!end) throw new LaconicError("run_missing", `${directory} has no evaluation to draw`, { directory });
      const { evaluations, warmStart, train } = facts;
      const run = { evaluations, before: warmStart?.before ?? null, budget: budgetOf(train) };
      return planeFile(runPlane(run, end), "wide");
    },
  };
}

function conversationText({ step, episode: { utterances }, task }: RecordedEpisode, when: string): string {
  const tokens = utterances.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0);
  const width = Math.max(...utterances.map(({ agent }) => agent.length));
  const lines = utterances.map(
    ({ agent, text, silent }) => `    ${agent.padEnd(width)}  ${silent ? "(silent)" : shortened(text)}`,
  );
  const verdict = Number(task) === 1 ? "right" : "wrong";
  return [`  ${when} training (step ${step}): ${tokens} tokens, ${verdict}`, ...lines].join("\n");
}

function shortened(text: string): string {
  const line = visibleText(text).replaceAll(/\s+/gu, " ").trim();
  return line.length > 160 ? `${line.slice(0, 160)} ...` : line;
}

/** Writes Markdown, CSV and LaTeX next to the samples. */
export async function writeBench(directory: string): Promise<BenchReport> {
  return writeBenchReport(directory, {
    spent: await readSpent(directory),
    actorOf: async (run) => {
      const config = await configOfRun(resolve(run)).catch(() => null);
      const actor = config?.actor ?? (config && { model: config.model });
      return actor && "model" in actor ? actor.model : null;
    },
  });
}
