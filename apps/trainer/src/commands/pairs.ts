import type { CommandDef } from "citty";
import { benchTasks } from "../bench/bench-tasks.ts";
import { taskBaselines } from "../bench/task-arguments.ts";
import { command, type ExitCode } from "../cli/command.ts";
import { spendingFlags, timeoutFlag } from "../run/spending.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

/** `laconic bench --tasks` under the name that it had: goes with the next release. */
export function pairsCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "pairs",
      args: {
        tasks: {
          type: "string",
          description:
            "With commas: writing/tldr, writing/arxiv, code/coophumaneval, code/humaneval, relay-writers, relay-writers/alike; default: those of the runs",
          valueHint: "a,b",
        },
        methods: {
          type: "string",
          description: `Baselines (${taskBaselines}) and trained teams as NAME=RUN, with commas; the first is what the others are compared with`,
          valueHint: "a,b",
          default: taskBaselines,
        },
        model: {
          type: "string",
          description: "Of the baselines: a folder, hub:OWNER/NAME or shipped; default: the first run's, untrained",
          valueHint: "name",
        },
        "base-url": {
          type: "string",
          description: "The baselines' model is behind this OpenAI-compatible server; its key is $OPENAI_API_KEY",
          valueHint: "url",
        },
        device: { type: "string", description: "Device to compute on", default: "auto", valueHint: "name" },
        "chat-template-arguments": {
          type: "string",
          description: 'Arguments of the chat template, as JSON, such as {"enable_thinking":false}',
          valueHint: "json",
          default: "{}",
        },
        problems: { type: "string", description: "Held-out problems of each task", default: "100", valueHint: "n" },
        repeats: { type: "string", description: "Times that each is given", default: "1", valueHint: "n" },
        seed: { type: "string", description: "Seed of the sampling", default: "pairs", valueHint: "text" },
        temperature: {
          type: "string",
          description: "Of the baselines; default: the first run's, or 0.7",
          valueHint: "t",
        },
        "top-p": { type: "string", description: "Of the baselines; default: the first run's, or 0.9", valueHint: "p" },
        concurrency: {
          type: "string",
          description: "Problems at a time; more than 1 makes critical seconds those of a busy machine",
          default: "1",
          valueHint: "n",
        },
        ...spendingFlags,
        ...timeoutFlag,
        run: { type: "string", description: "Directory of the records", default: "pairs", valueHint: "dir" },
        resume: { type: "boolean", description: "Go on with the records in --run: what is missing or failed" },
        ...jsonFlag,
      },
      run: (args) => {
        terminal.note(
          "laconic pairs is part of laconic bench now: bench --tasks ...; this name goes with the next release",
        );
        return benchTasks({ ...args, limit: args.problems }, terminal);
      },
    },
    exit,
  );
}
