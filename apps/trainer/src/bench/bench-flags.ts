import type { UnknownRecord } from "@laconic/core";
import type { TokenPrice } from "@laconic/core/ledger";
import {
  grouped,
  optionalToggle,
  textFlag,
  toggle,
  valueFlag,
  wholeFlag,
  type Flags,
  type ValueFlag,
} from "../cli/arguments.ts";
import { baseUrlFlag, templateArgumentsFlag } from "../cli/flags.ts";
import { priceFlag, type SpendingFlags } from "../run/spending.ts";

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
  Given<"cells", readonly string[]> &
  Always<"lenient" | "distribute" | "insecure" | "dry-run", boolean>;

type OnlyTaskArguments = Given<"top-p", number> &
  Given<"device", string> &
  Given<"chat-template-arguments", UnknownRecord>;

type PlayArguments = Given<"methods" | "tasks" | "model" | "base-url", string> &
  Given<"limit" | "temperature" | "concurrency", number> &
  Always<"seed" | "run", string> &
  Always<"repeats" | "max-errors", number> &
  Always<"resume", boolean>;

export type BenchArguments = QuestionArguments & PlayArguments & SpendingFlags;

export type TaskArguments = OnlyTaskArguments &
  PlayArguments &
  SpendingFlags & { readonly timeout: number | undefined; readonly json: boolean };

export const questionFlags: Flags<Omit<QuestionArguments, "cells">> = {
  ...grouped("Input", {
    benchmarks: textFlag("Names from laconic data ls, or ./FILE.ts", "a,b"),
    data: textFlag("Your questions: JSON, JSON lines, CSV, Parquet or hub:OWNER/NAME/FILES", "file"),
    grading: textFlag("Grader of --data: numeric, letter, maths, code or text", "kind"),
    columns: textFlag("Column names of --data", "question=a,gold=b"),
    lenient: toggle("Skip and count invalid rows of --data"),
    rows: textFlag("Max rows of --data to read", "n"),
    from: textFlag("First date of the questions, for livecodebench", "yyyy-mm-dd"),
    to: textFlag("Last date of the questions, for livecodebench", "yyyy-mm-dd"),
    folder: textFlag("Folder of the data files (default: $LACONIC_DATA)", "folder"),
  }),
  ...grouped("Model", {
    "role-model": textFlag("Models of roles, such as actor=NAME@URL,router=NAME", "role=name@url"),
    "role-price": textFlag("Role's US dollars per million tokens, such as actor=0.15/0.6", "role=p/c"),
    actor: textFlag("Model of the frozen agents: hub:OWNER/NAME, FOLDER, RUN or api:NAME@URL", "model"),
    "actor-price": priceFlag("Actor's US dollars per million prompt and completion tokens", "p,c,cached=..."),
    judge: textFlag("Judge model for --grading text (default: compare characters)", "name@url"),
    "judge-price": priceFlag("Judge's US dollars per million prompt and completion tokens", "p,c,cached=..."),
  }),
  ...grouped("Sampling", {
    "max-tokens": numberFlag("Max reply length in tokens (default: the protocol's limit; see --list)", "n"),
    shots: numberFlag("Worked examples per question (default: each paper's)", "n"),
    distribute: toggle("Also split each question's facts among the agents, as a second table"),
  }),
  ...grouped("Output", {
    "grade-rule": textFlag("Grading rule: own, lenient or published; or per benchmark, math500=published", "rule"),
    requests: optionalToggle("Store requests and replies for laconic view (default: on)"),
  }),
  ...grouped("Server", { insecure: toggle("Send the key over http to another machine") }),
  ...grouped("Run", { "dry-run": toggle("Print the estimated calls, tokens and cost, and stop") }),
};

export const taskFlags: Flags<OnlyTaskArguments> = {
  ...grouped("Sampling", { "top-p": numberFlag("Top-p of the baselines on --tasks", "p") }),
  ...grouped("Model", {
    device: textFlag("Device of the local model on --tasks", "name"),
    "chat-template-arguments": templateArgumentsFlag("Chat template arguments of the local model, as JSON", "json"),
  }),
};

export const playFlags: Flags<PlayArguments> = {
  ...grouped("Input", {
    methods: textFlag("Methods, trained teams as NAME=RUN, or ./FILE.ts", "a,b"),
    tasks: textFlag("Tasks instead of questions: writing/tldr, code/humaneval, relay-writers, or runs", "a,b"),
  }),
  ...grouped("Model", { model: textFlag("Model name on the server", "name") }),
  ...grouped("Server", {
    "base-url": baseUrlFlag,
    concurrency: numberFlag("Questions in parallel (default: 32; 1 with --tasks)", "n"),
  }),
  ...grouped("Sampling", {
    seed: textFlag("Seed of questions, examples and samples", "text", "0"),
    repeats: numberFlag("Samples per question", "n", "1"),
    temperature: numberFlag("Temperature of every method (default: each paper's)", "t"),
  }),
  ...grouped("Limits", {
    limit: numberFlag("Max questions per benchmark (default: all; 100 per task)", "n"),
    "max-errors": wholeFlag(0)("Max failed samples before the bench stops", "n", "20"),
  }),
  ...grouped("Run", {
    run: textFlag("Bench folder", "folder", "bench"),
    resume: toggle("Resume the bench in --run: missing and failed samples only"),
  }),
};
