import { LaconicError } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { counted, formatNumber, formatPercent, visibleText } from "@laconic/core/text";
import { damagedRows, nodeFileSystem, readSettings } from "@laconic/trainer";
import {
  folderSource,
  nodeProcesses,
  readRunFacts,
  shownEpisodes,
  type RunEvaluation,
  type RunFacts,
} from "@laconic/trainer/reading";
import { planeFile } from "../charts/plane-file.ts";
import type { PlaneChart } from "../charts/plane.ts";

/** Text and picture of a run, for terminals, notebooks and READMEs. */
export interface RunReport {
  /** Damage, declines, and training warnings. */
  readonly warnings: readonly string[];
  /** First problem recorded before and after training, with messages; null without one. */
  firstProblem(): Promise<string | null>;
  /**
   * Returns the accuracy-token plane as an SVG file.
   * @param size - `narrow` is for phones
   * @throws LaconicError `run_missing` before the first evaluation
   */
  picture(size?: "wide" | "narrow"): string;
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
        const known = problems.get(episode.problem.id);
        if (known) known.last = episode;
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
    picture(size = "wide") {
      if (steps.length === 0)
        throw new LaconicError("run_missing", `${directory} holds no evaluation to draw`, { directory });
      return planeFile(runPlane(facts), size);
    },
  };
}

function runPlane({ evaluations, warmStart, train }: RunFacts): PlaneChart {
  const [start, end] = [evaluations[0], evaluations.at(-1)] as [RunEvaluation, RunEvaluation];
  const before = warmStart?.before;
  const startLabel = before ? "after the warm start" : "start";
  const target = (train["budget"] as { readonly targetTokens?: unknown } | null | undefined)?.targetTokens;
  const figures = ({ accuracy, tokens }: Pick<RunEvaluation, "accuracy" | "tokens">): string =>
    `${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens`;
  const points: PlaneChart["points"] = evaluations.map((evaluation) => ({
    ...evaluation,
    name: `step ${evaluation.step}`,
    ...(evaluation === end
      ? { color: 3, label: "end" }
      : evaluation === start
        ? { color: 2, label: startLabel }
        : { color: 1 }),
  }));
  const chart = {
    title: "Accuracy against tokens",
    n: end.problems === 0 ? "" : counted(end.problems, "problem"),
    budget: typeof target === "number" ? target : null,
    points,
    lines: [{ positions: before ? [before, ...evaluations] : evaluations, color: 1, look: "path" as const }],
    legend: [
      ...(start === end ? [] : [{ color: 2, text: `${startLabel}, step ${start.step}: ${figures(start)}` }]),
      { color: 3, text: `end, step ${end.step}: ${figures(end)}` },
    ],
  };
  if (!before) return chart;
  const name = "before the warm start";
  return {
    ...chart,
    points: [{ ...before, interval: null, name, label: "before", color: 0, look: "ring" }, ...points],
    legend: [{ color: 0, isRing: true, text: `${name}: ${figures(before)}` }, ...chart.legend],
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
