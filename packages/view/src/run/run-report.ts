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
import type { PlaneChart, PlanePoint } from "../charts/plane.ts";

/** Text and picture of a run folder for a terminal, a notebook or a README. */
export interface RunReport {
  /** Damage, a decline, and warnings of the training. */
  readonly warnings: readonly string[];
  /** The first problem recorded before and after training, with the team's messages; null without one. */
  firstProblem(): Promise<string | null>;
  /**
   * The accuracy-token plane as an SVG file.
   * @param size - `narrow` suits a phone, `wide` by default
   * @throws LaconicError `run_missing` before the first evaluation
   */
  picture(size?: "wide" | "narrow"): string;
}

/**
 * Reads a run folder for its report.
 * @throws LaconicError `run_missing` for a folder without a run
 */
export async function readReport(directory: string): Promise<RunReport> {
  const config = await readSettings(nodeFileSystem, directory);
  const source = folderSource(directory);
  const facts = await readRunFacts(source, { processes: nodeProcesses });
  const damage = await damagedRows(nodeFileSystem, directory);
  const isNew = damage !== null && !facts.warnings.includes(damage);
  return {
    warnings: [...(isNew ? [damage] : []), ...facts.warnings],
    async firstProblem() {
      const ends = new Map<string, { readonly first: RecordedEpisode; last: RecordedEpisode }>();
      for await (const episode of shownEpisodes(source, config, stepsAtEnds(facts.evaluations))) {
        const known = ends.get(episode.problem.id);
        if (known) known.last = episode;
        else ends.set(episode.problem.id, { first: episode, last: episode });
      }
      const pair = [...ends.values()].find(({ first, last }) => first.step < last.step);
      return pair ? firstProblemText(pair.first, pair.last) : null;
    },
    picture(size = "wide") {
      if (facts.evaluations.length === 0)
        throw new LaconicError("run_missing", `${directory} holds no evaluation to draw`, { directory });
      return planeFile(runPlane(facts), size);
    },
  };
}

/** Evaluations at both ends that are read of a long run: those between lie gigabytes apart. */
const maxEnds = 10;

function stepsAtEnds(evaluations: readonly RunEvaluation[]): ReadonlySet<number> | null {
  const steps = evaluations.map(({ step }) => step);
  return steps.length > 2 * maxEnds ? new Set([...steps.slice(0, maxEnds), ...steps.slice(-maxEnds)]) : null;
}

/** Start, path and end of the team. */
function runPlane({ evaluations, warmStart, train }: RunFacts): PlaneChart {
  const [start, end] = [evaluations[0], evaluations.at(-1)] as [RunEvaluation, RunEvaluation];
  const before = warmStart?.before;
  const beginning = before ? "after the warm start" : "start";
  const target = (train["budget"] as { readonly targetTokens?: unknown } | null | undefined)?.targetTokens;
  const points = evaluations.map((row, i): PlanePoint => {
    const isEnd = i === evaluations.length - 1;
    const label = isEnd ? "end" : i === 0 ? beginning : undefined;
    const color = isEnd ? 3 : i === 0 ? 2 : 1;
    return { ...row, name: `step ${row.step}`, color, ...(label !== undefined && { label }) };
  });
  const problems = end.problems === 0 ? "" : counted(end.problems, "problem");
  const figures = ({ accuracy, tokens }: Pick<RunEvaluation, "accuracy" | "tokens">): string =>
    `${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens`;
  return {
    title: "Accuracy against tokens",
    n: problems,
    points: [
      ...(before
        ? [
            {
              ...before,
              interval: null,
              name: "before the warm start",
              label: "before",
              color: 0,
              look: "ring" as const,
            },
          ]
        : []),
      ...points,
    ],
    lines: [{ positions: before ? [before, ...evaluations] : evaluations, color: 1, look: "path" }],
    budget: typeof target === "number" ? target : null,
    legend: [
      ...(before ? [{ color: 0, isRing: true, text: `before the warm start: ${figures(before)}` }] : []),
      ...(start === end ? [] : [{ color: 2, text: `${beginning}, step ${start.step}: ${figures(start)}` }]),
      { color: 3, text: `end, step ${end.step}: ${figures(end)}` },
    ],
  };
}

/** Characters of a message or question in one line. */
const maxCharacters = 160;

function firstProblemText(first: RecordedEpisode, last: RecordedEpisode): string {
  const { question, gold } = first.problem;
  return [
    `first validation problem: ${shortened(question)}, expected ${shortened(gold)}`,
    conversationText(first, "before"),
    conversationText(last, "after"),
  ].join("\n");
}

function conversationText({ step, episode, task }: RecordedEpisode, when: string): string {
  const { utterances } = episode;
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
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters)} ...` : line;
}
