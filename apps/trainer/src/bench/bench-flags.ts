import type { TokenPrice } from "@laconic/core/ledger";
import {
  optionalToggle,
  textFlag,
  toggle,
  valueFlag,
  wholeFlag,
  type Flags,
  type ValueFlag,
} from "../cli/arguments.ts";
import { priceFlag, type SpendingFlags } from "../run/spending.ts";

/** Checked by the bench's settings. */
const numberFlag: ValueFlag<number> = valueFlag(Number);

type Given<Names extends string, T> = { readonly [Name in Names]?: T | undefined };
type Always<Names extends string, T> = { readonly [Name in Names]: T };

type QuestionTexts =
  | "benchmarks"
  | "data"
  | "grading"
  | "columns"
  | "rows"
  | "from"
  | "to"
  | "actor"
  | "grade-rule"
  | "judge"
  | "folder";

type QuestionArguments = Given<QuestionTexts | "role-model" | "role-price", string> &
  Given<"actor-price" | "judge-price", TokenPrice> &
  Given<"max-tokens" | "shots", number> &
  Given<"requests", boolean> &
  Always<"lenient" | "distribute" | "insecure" | "dry-run", boolean>;

type OnlyTaskArguments = Given<"top-p", number> & Given<"device" | "chat-template-arguments", string>;

type PlayArguments = Given<"methods" | "tasks" | "model" | "base-url", string> &
  Given<"limit" | "temperature" | "concurrency", number> &
  Always<"seed" | "run", string> &
  Always<"repeats" | "max-errors", number> &
  Always<"resume", boolean>;

export type BenchArguments = QuestionArguments & PlayArguments & SpendingFlags;

export type TaskArguments = OnlyTaskArguments &
  PlayArguments &
  SpendingFlags & { readonly timeout: number | undefined; readonly json: boolean };

export const questionFlags: Flags<QuestionArguments> = {
  benchmarks: textFlag("Names, with commas; laconic data ls lists them; or ./FILE.ts that exports one", "a,b"),
  data: textFlag(
    "Questions of your own: JSON lines, JSON, CSV, Parquet, or hub:OWNER/NAME/FILES; needs --grading",
    "file",
  ),
  grading: textFlag("How answers to --data are judged: numeric, letter, maths, code or text", "kind"),
  columns: textFlag("Where --data has what, unless it is called so", "question=a,gold=b"),
  lenient: toggle("Leave out rows of --data that cannot be read, and count them"),
  rows: textFlag("The first rows of --data alone; of Parquet on the hub nothing else is then fetched", "n"),
  from: textFlag(
    "Questions of this day and later, of benchmarks with dates (livecodebench), out of all releases that are here",
    "yyyy-mm-dd",
  ),
  to: textFlag("And of this day and earlier", "yyyy-mm-dd"),
  "role-model": textFlag(
    "Models of single roles: actor=NAME@URL,hint=NAME,router=... (without URL the bench's server)",
    "role=name@url",
  ),
  "role-price": textFlag(
    "US dollars per million prompt and completion tokens of a role's model: actor=0.15/0.6, or actor=0.15/0.6/cached=0.075",
    "role=p/c",
  ),
  actor: textFlag(
    "Who speaks for the agents of trained teams that do not learn: hub:OWNER/NAME, a model folder, another run, or api:NAME@URL",
    "model",
  ),
  "actor-price": priceFlag(
    "US dollars per million prompt and completion tokens of that actor's server, where not public",
    "p,c,cached=...",
  ),
  "grade-rule": textFlag(
    "Whose rule decides on answers: own, lenient, or published, which is each benchmark's own grader's; of single benchmarks as math500=published,gsm8k=own",
    "rule",
  ),
  requests: optionalToggle("Keep requests and replies of each sample, for laconic view (on; --no-requests keeps none)"),
  judge: textFlag(
    "A model that judges free answers (--grading text) by their golds, instead of comparing characters",
    "name@url",
  ),
  "judge-price": priceFlag(
    "US dollars per million prompt and completion tokens of the judge, where not public",
    "p,c,cached=...",
  ),
  distribute: toggle("Play the same questions dealt among agents too, by all methods that can; a table of their own"),
  "max-tokens": numberFlag(
    "Of one reply (default: each protocol's ceiling, such as 1024, DyLAN's 2048; --list shows them)",
    "n",
  ),
  shots: numberFlag("Worked examples of every method, instead of each paper's", "n"),
  insecure: toggle("Send the key over http to another machine"),
  folder: textFlag("Where data files are kept (default: $LACONIC_DATA)", "folder"),
  "dry-run": toggle("Say what it would take, and stop"),
};

export const taskFlags: Flags<OnlyTaskArguments> = {
  "top-p": numberFlag("Of the baselines on --tasks", "p"),
  device: textFlag("Of the model on this machine that plays --tasks", "name"),
  "chat-template-arguments": textFlag("Of that model's chat template, as JSON", "json"),
};

/** Flags of questions and tasks. */
export const playFlags: Flags<PlayArguments> = {
  methods: textFlag("Names, with commas; a trained team as NAME=RUN; or ./FILE.ts that exports one", "a,b"),
  tasks: textFlag(
    "Instead of questions: tasks with rewards, such as writing/tldr, writing/arxiv, code/coophumaneval, code/humaneval, relay-writers, relay-writers/alike, or runs: those of the trained teams. Two-agent baselines and trained teams play them",
    "a,b",
  ),
  model: textFlag("Name that the server knows it by", "name"),
  "base-url": textFlag(
    "OpenAI-compatible server (default: $OPENAI_BASE_URL, or OpenAI); its key is $OPENAI_API_KEY",
    "url",
  ),
  limit: numberFlag("Questions of each benchmark (default: all; of each task: 100)", "n"),
  seed: textFlag("Chooses questions, examples and samples", "text", "0"),
  repeats: numberFlag("Times that each question is asked", "n", "1"),
  temperature: numberFlag("Of every method, instead of each paper's", "t"),
  concurrency: numberFlag("Questions at a time (default: 32; with --tasks 1)", "n"),
  "max-errors": wholeFlag(0)("Failed samples after which the bench stops; it can continue with --resume", "n", "20"),
  run: textFlag("Directory of the bench", "dir", "bench"),
  resume: toggle("Go on with the bench in --run: what is missing or failed, and nothing else"),
};
