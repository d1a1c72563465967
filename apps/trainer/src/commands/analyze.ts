import { resolve } from "node:path";
import { formatCells } from "@laconic/core/text";
import type { RescoredStep } from "@laconic/evaluation/analysis";
import { probeFamilies } from "@laconic/runtime";
import { analyseRun, probeRun, probeText, rescoreRun, writeAnalysis, type ProbeProgress } from "@laconic/view/report";
import {
  amountFlag,
  choiceFlag,
  grouped,
  namesFlag,
  positional,
  textFlag,
  toggle,
  wholeFlag,
} from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag, runChoiceFlags, runChoiceOf, trustFlag } from "../cli/flags.ts";
import { leftText, showProgress, spinWhile, type StatusLine } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";
import { actorCap, actorSpendingFlags } from "../run/spending.ts";

export const analyzeCommand: Command = command({
  description: "Measure the value of a team's messages by replays without them, before and after training",
  examples: ["laconic analyze runs/quickstart --limit 50", "laconic analyze runs/quickstart --cut halve --json"],
  args: {
    directory: positional("Run folder", "RUN"),
    ...grouped("Limits", { limit: wholeFlag(1, 1000)("Max validation problems, 1 to 1000", "n", "200") }),
    ...grouped("Sampling", {
      cut: choiceFlag("Change of a message in its replay", ["drop", "halve"], "drop"),
      seed: textFlag("Seed of the sampling", "text", "analysis"),
    }),
    ...runChoiceFlags,
    ...actorSpendingFlags,
    ...jsonFlag,
  },
  run: async ({ directory, limit: problems, cut, seed, ...args }, { terminal }) => {
    const run = resolve(directory);
    const options = { problems, cut, seed, ...runChoiceOf(args) };
    const runAnalysis = await spinWhile(terminal, "replaying validation problems, before and after training", () =>
      analyseRun(run, options, terminal, actorCap(args)),
    );
    const page = await writeAnalysis(run, runAnalysis);
    printResult(terminal, args.json, runAnalysis.analysis, () => page);
  },
});

export const probeCommand: Command = command({
  description: "Measure a team's accuracy on changed problems and with other teammates",
  examples: ["laconic analyze probe runs/quickstart --limit 50"],
  args: {
    directory: positional("Run folder", "RUN"),
    ...grouped("Limits", { limit: wholeFlag(1, 1000)("Max test problems per family, 1 to 1000", "n", "200") }),
    ...grouped("Sampling", { seed: textFlag("Seed of the changes and the sampling", "text", "probe") }),
    ...grouped("Input", {
      families: namesFlag(`Families (default: all): ${probeFamilies.join(", ")}, or those in --file`, "a,b"),
      file: textFlag("Module that exports your problems, each with a family or group", "file.ts"),
    }),
    ...runChoiceFlags,
    ...grouped("Model", {
      actor: textFlag("Actor of other-actor: hub:OWNER/NAME, FOLDER, RUN or api:NAME@URL", "model"),
    }),
    ...actorSpendingFlags,
    ...jsonFlag,
  },
  run: async (
    { directory, limit: problems, seed, families = null, file = null, actor = null, ...args },
    { terminal },
  ) => {
    const options = { problems, seed, families, file, actor, ...runChoiceOf(args), onEpisode: timeLeft(terminal) };
    const record = await probeRun(resolve(directory), options, terminal, actorCap(args));
    terminal.status("");
    printResult(terminal, args.json, record, probeText);
  },
});

const patience = 50;

function timeLeft(terminal: StatusLine): (state: ProbeProgress) => void {
  const started = performance.now();
  let last = "";
  return ({ family, episodes, planned }) => {
    const line = `${family}: episode ${episodes} of at most ${planned}`;
    showProgress(
      terminal,
      episodes < patience ? line : `${line}, ${leftText(started, episodes / planned)}`,
      family !== last,
    );
    last = family;
  };
}

export const rescoreCommand: Command = command({
  description: "Score a run's recorded episodes with other prices, edges or grades, without a model",
  examples: ["laconic analyze rescore runs/quickstart --tokens 0.01"],
  args: {
    source: positional("Run folder, or a transcripts file", "RUN"),
    ...grouped("Input", {
      training: toggle("Training episodes instead of test episodes"),
      tokens: amountFlag("Price per token, λ of Eq. 1", "λ", "0"),
      turns: amountFlag("Price per turn", "λ", "0"),
      repetition: amountFlag("Price of repetition", "λ", "0"),
      without: namesFlag("Edges to count as unread", "from->to,..."),
      regrade: toggle("Grade the answers again with the run's task"),
    }),
    ...trustFlag,
    ...jsonFlag,
  },
  run: async ({ source, training, tokens, turns, repetition, without = [], regrade, json }, { terminal }) => {
    const prices = { tokens, turns, repetition };
    const options = { prices, without, isRegraded: regrade, isTraining: training };
    printResult(terminal, json, await rescoreRun(resolve(source), options, terminal), rescoredTable);
  },
});

function rescoredTable(steps: readonly RescoredStep[]): string {
  const cells = steps.map(({ step, episodes, task, writtenTokens, readTokens, reward }) => [
    String(step),
    String(episodes),
    task,
    writtenTokens,
    readTokens,
    reward,
  ]);
  return [
    "| step | episodes | task | tokens written | tokens read | reward |",
    "|---|---|---|---|---|---|",
    ...formatCells(cells).map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}
