import { resolve } from "node:path";
import { formatCells } from "@laconic/core/text";
import type { RescoredStep } from "@laconic/evaluation/analysis";
import { probeFamilies } from "@laconic/runtime";
import { analyseRun, probeRun, probeText, rescoreRun, writeAnalysis, type ProbeProgress } from "@laconic/view/report";
import { amountFlag, choiceFlag, namesFlag, positional, textFlag, toggle, wholeFlag } from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag, runChoiceFlags, runChoiceOf, trustFlag } from "../cli/flags.ts";
import { leftText, showProgress, spinWhile, type StatusLine } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";
import { actorCap, actorSpendingFlags } from "../run/spending.ts";

export const analyzeCommand: Command = command({
  description:
    "What a run's team says and what its messages are worth: replays without them, before and after training",
  args: {
    directory: positional("Run directory"),
    problems: wholeFlag(1, 1000)("Validation problems, at most 1000", "n", "200"),
    cut: choiceFlag("What happens to a message in its replay", ["drop", "halve"], "drop"),
    seed: textFlag("Seed of the sampling", "text", "analysis"),
    ...runChoiceFlags,
    ...actorSpendingFlags,
    ...jsonFlag,
  },
  run: async ({ directory, problems, cut, seed, ...args }, { terminal }) => {
    const run = resolve(directory);
    const options = { problems, cut, seed, ...runChoiceOf(args) };
    const found = await spinWhile(terminal, "replaying validation problems, before and after training", () =>
      analyseRun(run, options, terminal, actorCap(args)),
    );
    const page = await writeAnalysis(run, found);
    printResult(terminal, args.json, found.analysis, () => page);
  },
});

export const probeCommand: Command = command({
  description: "Give a run's team other problems and teammates by families: how far its accuracy falls",
  args: {
    directory: positional("Run directory"),
    problems: wholeFlag(1, 1000)("Test problems, and most of a family, at most 1000", "n", "200"),
    seed: textFlag("Seed of the changes and the sampling", "text", "probe"),
    families: namesFlag(`Which of ${probeFamilies.join(", ")}, and of those in --file; all by default`, "a,b"),
    file: textFlag("A module that exports problems of your own; family or group names the family of each", "file.ts"),
    ...runChoiceFlags,
    actor: textFlag(
      "Who answers in other-actor: hub:OWNER/NAME, a model folder, another run, or api:NAME@URL",
      "model",
    ),
    ...actorSpendingFlags,
    ...jsonFlag,
  },
  run: async ({ directory, problems, seed, families = null, file = null, actor = null, ...args }, { terminal }) => {
    const options = { problems, seed, families, file, actor, ...runChoiceOf(args), onEpisode: timeLeft(terminal) };
    const record = await probeRun(resolve(directory), options, terminal, actorCap(args));
    terminal.status("");
    printResult(terminal, args.json, record, probeText);
  },
});

/** Min episodes for a time estimate. */
const patience = 50;

/** Moving line with the time left; elsewhere a line per family. */
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
  description: "Score a run's recorded episodes under other prices, edges or grades, without asking a model",
  args: {
    source: positional("Run directory, or a file of transcripts that an earlier version wrote"),
    training: toggle("Episodes of training instead of test ones"),
    tokens: amountFlag("Price of a token, λ of Eq. 1", "λ", "0"),
    turns: amountFlag("Price of a turn", "λ", "0"),
    repetition: amountFlag("Price of repetition", "λ", "0"),
    without: namesFlag("Edges to count as unread, separated by commas", "from->to"),
    regrade: toggle("Grade the answers again with the run's task"),
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
