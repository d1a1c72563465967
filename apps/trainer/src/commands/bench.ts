import { join, resolve } from "node:path";
import { baselines } from "@laconic/baselines";
import { LaconicError } from "@laconic/core";
import { estimate } from "@laconic/evaluation";
import {
  benchDataOf,
  listedProtocols,
  pairSettingsFile,
  protocolList,
  readBenchConfig,
} from "@laconic/evaluation/bench";
import { hubEnvironment } from "@laconic/hub";
import { writeBench } from "@laconic/report";
import { keepQuestions, playQuestions, prepareQuestions, type PreparedQuestions } from "@laconic/runtime/bench";
import type { CommandDef, ParsedArgs } from "citty";
import { configOf } from "../bench/bench-arguments.ts";
import { progressOf } from "../bench/bench-progress.ts";
import { benchTasks, checkEmpty, codeOf, limitsOf } from "../bench/bench-tasks.ts";
import { command, type ExitCode } from "../cli/command.ts";
import { exists } from "../cli/files.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { timeoutFlag } from "../run/spending.ts";
import { withDashboard } from "../serving/with-dashboard.ts";
import { jsonFlag, viewFlag, type CommandContext } from "./common.ts";

const benchFlags = {
  benchmarks: {
    type: "string",
    description: "Names, with commas; laconic data ls lists them; or ./FILE.ts that exports one",
    valueHint: "a,b",
  },
  data: {
    type: "string",
    description: "Questions of your own: JSON lines, JSON, CSV, Parquet, or hub:OWNER/NAME/FILES; needs --grading",
    valueHint: "file",
  },
  grading: {
    type: "string",
    description: "How answers to --data are judged: numeric, letter, maths, code or text",
    valueHint: "kind",
  },
  columns: {
    type: "string",
    description: "Where --data has what, unless it is called so",
    valueHint: "question=a,gold=b",
  },
  lenient: { type: "boolean", description: "Leave out rows of --data that cannot be read, and count them" },
  methods: {
    type: "string",
    description: `Names, with commas: ${baselines.map(({ name }) => name).join(", ")}; a trained team as NAME=RUN; or ./FILE.ts that exports one`,
    valueHint: "a,b",
  },
  tasks: {
    type: "string",
    description:
      "Instead of questions: tasks with rewards, such as writing/tldr, writing/arxiv, code/coophumaneval, code/humaneval, relay-writers, relay-writers/alike, or runs: those of the trained teams. Two-agent baselines and trained teams play them",
    valueHint: "a,b",
  },
  model: { type: "string", description: "Name that the server knows it by", valueHint: "name" },
  "base-url": {
    type: "string",
    description: "OpenAI-compatible server (default: $OPENAI_BASE_URL, or OpenAI); its key is $OPENAI_API_KEY",
    valueHint: "url",
  },
  "role-model": {
    type: "string",
    description: "Models of single roles: actor=NAME@URL,hint=NAME,router=... (without URL the bench's server)",
    valueHint: "role=name@url",
  },
  "role-price": {
    type: "string",
    description: "US dollars per million prompt and completion tokens of a role's model: actor=0.15/0.6",
    valueHint: "role=p/c",
  },
  actor: {
    type: "string",
    description:
      "Who speaks for the agents of trained teams that do not learn: hub:OWNER/NAME, a model folder, another run, or api:NAME@URL",
    valueHint: "model",
  },
  "actor-price": {
    type: "string",
    description: "US dollars per million prompt and completion tokens of that actor's server, where not public",
    valueHint: "p,c",
  },
  judge: {
    type: "string",
    description: "A model that judges free answers (--grading text) by their golds, instead of comparing characters",
    valueHint: "name@url",
  },
  "judge-price": {
    type: "string",
    description: "US dollars per million prompt and completion tokens of the judge, where not public",
    valueHint: "p,c",
  },
  distribute: {
    type: "boolean",
    description: "Play the same questions dealt among agents too, by all methods that can; a table of their own",
  },
  run: { type: "string", description: "Directory of the bench", valueHint: "dir", default: "bench" },
  resume: {
    type: "boolean",
    description: "Go on with the bench in --run: what is missing or failed, and nothing else",
  },
  limit: {
    type: "string",
    description: "Questions of each benchmark (default: all; of each task: 100)",
    valueHint: "n",
  },
  seed: {
    type: "string",
    description: "Chooses questions, examples and samples",
    valueHint: "text",
    default: "0",
  },
  repeats: { type: "string", description: "Times that each question is asked", valueHint: "n", default: "1" },
  temperature: { type: "string", description: "Of every method, instead of each paper's", valueHint: "t" },
  "top-p": { type: "string", description: "Of the baselines on --tasks", valueHint: "p" },
  device: { type: "string", description: "Of the model on this machine that plays --tasks", valueHint: "name" },
  "chat-template-arguments": {
    type: "string",
    description: "Of that model's chat template, as JSON",
    valueHint: "json",
  },
  "max-tokens": {
    type: "string",
    description: "Of one reply (default: each protocol's ceiling, such as 1024, DyLAN's 2048; --list shows them)",
    valueHint: "n",
  },
  ...timeoutFlag,
  shots: {
    type: "string",
    description: "Worked examples of every method, instead of each paper's",
    valueHint: "n",
  },
  "max-usd": { type: "string", description: "Stop before more is spent", valueHint: "$" },
  price: {
    type: "string",
    description: "US dollars per million prompt and completion tokens, where the model's is not known",
    valueHint: "p,c",
  },
  concurrency: {
    type: "string",
    description: "Questions at a time (default: 32; with --tasks 1)",
    valueHint: "n",
  },
  "max-errors": {
    type: "string",
    description: "Failed samples after which the bench stops; it can continue with --resume",
    valueHint: "n",
    default: "20",
  },
  insecure: { type: "boolean", description: "Send the key over http to another machine" },
  folder: {
    type: "string",
    description: "Where data files are kept (default: $LACONIC_DATA)",
    valueHint: "folder",
  },
  offline: { type: "boolean", description: "Download no data" },
  list: { type: "boolean", description: "Say how each method is played on which questions, and stop" },
  "dry-run": { type: "boolean", description: "Say what it would take, and stop" },
  ...viewFlag,
  ...jsonFlag,
} as const;

type BenchArgs = ParsedArgs<typeof benchFlags>;

export function benchCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "bench",
      args: benchFlags,
      run: async (args) => {
        if (args.list) {
          printResult(terminal, args.json, listedProtocols(args.methods), () => protocolList(args.methods));
          return 0;
        }
        const directory = resolve(args.run);
        const isOnTasks =
          args.tasks !== undefined || (args.resume === true && (await exists(join(directory, pairSettingsFile))));
        if (!isOnTasks) return benchQuestions(args, directory, terminal);
        refuseStray(args, flagsOfQuestions, "with --tasks");
        const shown = { folder: directory, page: "list" } as const;
        return withDashboard(args.view, shown, terminal, () => benchTasks(args, terminal));
      },
    },
    exit,
  );
}

/** Methods on questions. */
async function benchQuestions(args: BenchArgs, directory: string, terminal: Terminal): Promise<number> {
  refuseStray(args, ["top-p", "device", "chat-template-arguments"], "without --tasks");
  const limits = limitsOf(args, terminal);
  const prepared = await preparedQuestions(args, directory, terminal);
  if (args["dry-run"]) {
    const { jobs, settings, config } = prepared;
    if (args.json) terminal.result(JSON.stringify({ ...estimate(jobs, settings), config }));
    return 0;
  }
  await keepQuestions(directory, prepared, args.resume !== true);
  return withDashboard(args.view, { folder: directory, page: "list" }, terminal, async () => {
    const stopped = await playQuestions(
      directory,
      prepared,
      {
        ...limits,
        insecure: args.insecure === true,
        onStart: (samples, account) => progressOf(samples, account, terminal),
      },
      terminal,
    );
    const { summaries, markdown, files } = await writeBench(directory);
    printResult(terminal, args.json, { directory, stopped, summaries, files }, () => markdown);
    return codeOf(stopped, summaries, args.run, terminal);
  });
}

async function preparedQuestions(args: BenchArgs, directory: string, terminal: Terminal): Promise<PreparedQuestions> {
  const found = hubEnvironment(process.env);
  const offline = args.offline === true;
  const hub = { ...found, offline: found.offline || offline };
  const config = args.resume
    ? await readBenchConfig(directory)
    : await configOf(args, directory, await benchDataOf(args, hub, (text) => terminal.note(text)));
  if (!args.resume && !args["dry-run"]) await checkEmpty(directory);
  return prepareQuestions(config, directory, { hub, folder: args.folder, offline }, terminal);
}

const flagsOfQuestions = [
  "benchmarks",
  "data",
  "grading",
  "columns",
  "lenient",
  "distribute",
  "shots",
  "max-tokens",
  "role-model",
  "role-price",
  "actor",
  "actor-price",
  "judge",
  "judge-price",
  "insecure",
  "folder",
  "dry-run",
] as const;

/** @throws LaconicError `config_invalid` naming a flag without effect */
function refuseStray(args: Readonly<Record<string, unknown>>, flags: readonly string[], where: string): void {
  const stray = flags.find((flag) => args[flag]);
  if (stray !== undefined)
    throw new LaconicError("config_invalid", `--${stray} has no effect ${where}; remove it`, { flag: stray });
}
