import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { formatNumber } from "@laconic/core/text";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { gradedEpisode, rescore, type RescoredStep } from "@laconic/evaluation/analysis";
import { scoreValue, type RewardOutcome } from "@laconic/rewards";
import {
  describeUnscored,
  eachLine,
  nodeFileSystem,
  scoringFailure,
  rewardOf,
  scorer,
  scoringReport,
} from "@laconic/trainer";
import { eachEpisode, folderSource } from "@laconic/trainer/reading";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { openValues } from "@laconic/runtime/resolver";
import { openModelFolder } from "@laconic/runtime/models";
import { configOfRun, openRunTask } from "@laconic/runtime";
import { jsonFlag, printResult, type CommandContext } from "./common.ts";

export function rescoreCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "rescore",
      args: {
        source: {
          type: "positional",
          required: true,
          description: "Run directory, or a file of transcripts that an earlier version wrote",
        },
        training: { type: "boolean", description: "Episodes of training instead of held-out ones" },
        tokens: { type: "string", description: "Price of a token, λ of Eq. 1", default: "0", valueHint: "λ" },
        turns: { type: "string", description: "Price of a turn", default: "0", valueHint: "λ" },
        repetition: { type: "string", description: "Price of repetition", default: "0", valueHint: "λ" },
        without: { type: "string", description: "Edges nobody reads along, with commas", valueHint: "from->to" },
        regrade: { type: "boolean", description: "Grade the answers anew, with the task of the run" },
        ...jsonFlag,
      },
      run: async (args) => {
        const source = resolve(args.source);
        const recorded = await recordedIn(source, args.training ? "step" : "evaluation", (line) => terminal.note(line));
        const prices = {
          tokens: price("tokens", args.tokens),
          turns: price("turns", args.turns),
          repetition: price("repetition", args.repetition),
        };
        const without = args.without?.split(",").map((edge) => edge.trim()) ?? [];
        for (const edge of without) checkEdge(edge, recorded);
        const scored = args.regrade
          ? await scoredAnew(source, recorded, (line) => terminal.note(line), terminal)
          : recorded;
        const steps = rescore(scored, { prices, without });
        printResult(terminal, args.json, steps, table);
        return 0;
      },
    },
    exit,
  );
}

async function recordedIn(
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

/** Recorded episodes with the score that the run's task gives them now. */
async function scoredAnew(
  run: string,
  recorded: readonly RecordedEpisode[],
  note: (line: string) => void,
  terminal: CommandContext["terminal"],
): Promise<RecordedEpisode[]> {
  const config = await configOfRun(run);
  const { folder } = await openModelFolder(config.model, terminal);
  const task = await openRunTask(config.task, {
    heldOut: 1,
    modelFolder: folder,
    templateArguments: config.chatTemplateArguments,
    note,
  });
  try {
    const { reward = rewardOf(task) } = await openValues(config.own, config.train);
    const scoreOf = scorer(reward, config.train.scoring);
    const scores: (RewardOutcome | null)[] = [];
    for (const { episode, problem } of recorded) scores.push(await scoreOf(episode, problem));
    const report = scoringReport(scores);
    const failure = scoringFailure(report, config.train.scoring, "the recorded episodes");
    if (failure) throw failure;
    const unscored = describeUnscored(report.counts);
    if (unscored !== "") note(`left out, without a score: ${unscored}`);
    return recorded.map((each, i) => ({ ...each, task: scoreValue(scores[i] ?? null) }));
  } finally {
    await task.close?.();
  }
}

function checkEdge(edge: string, recorded: readonly RecordedEpisode[]): void {
  const known = new Set(
    recorded.flatMap(({ episode }) =>
      episode.ledger.calls.flatMap(({ agent, reads }) => reads.map(({ from }) => `${from}->${agent}`)),
    ),
  );
  if (!known.has(edge))
    throw new LaconicError("config_invalid", `--without: nobody reads along ${edge}; edges: ${[...known].join(", ")}`, {
      edge,
    });
}

function price(flag: string, text: string): number {
  const value = Number(text);
  if (text !== "" && value >= 0 && value < Infinity) return value;
  throw new LaconicError("config_invalid", `--${flag} is ${text}, expected a number from 0`, { flag });
}

function table(steps: readonly RescoredStep[]): string {
  return [
    "| step | episodes | task | tokens written | tokens read | reward |",
    "|---|---|---|---|---|---|",
    ...steps.map(
      (each) =>
        `| ${each.step} | ${each.episodes} | ${each.task.toFixed(3)} | ${formatNumber(each.writtenTokens)} | ${formatNumber(each.readTokens)} | ${each.reward.toFixed(4)} |`,
    ),
  ].join("\n");
}
