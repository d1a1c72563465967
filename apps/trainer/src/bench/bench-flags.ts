import type { jsonFlag } from "../cli/flags.ts";
import type { spendingFlags, timeoutFlag } from "../run/spending.ts";

/** Flags of `bench` on questions alone. */
export const questionFlags = {
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
  rows: {
    type: "string",
    description: "The first rows of --data alone; of Parquet on the hub nothing else is then fetched",
    valueHint: "n",
  },
  from: {
    type: "string",
    description:
      "Questions of this day and later, of benchmarks with dates (livecodebench), out of all releases that are here",
    valueHint: "yyyy-mm-dd",
  },
  to: { type: "string", description: "And of this day and earlier", valueHint: "yyyy-mm-dd" },
  "role-model": {
    type: "string",
    description: "Models of single roles: actor=NAME@URL,hint=NAME,router=... (without URL the bench's server)",
    valueHint: "role=name@url",
  },
  "role-price": {
    type: "string",
    description:
      "US dollars per million prompt and completion tokens of a role's model: actor=0.15/0.6, or actor=0.15/0.6/cached=0.075",
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
    valueHint: "p,c,cached=...",
  },
  "grade-rule": {
    type: "string",
    description:
      "Whose rule decides on answers: own, lenient, or published, which is each benchmark's own grader's; of single benchmarks as math500=published,gsm8k=own",
    valueHint: "rule",
  },
  requests: {
    type: "boolean",
    description: "Keep requests and replies of each sample, for laconic view (on; --no-requests keeps none)",
  },
  judge: {
    type: "string",
    description: "A model that judges free answers (--grading text) by their golds, instead of comparing characters",
    valueHint: "name@url",
  },
  "judge-price": {
    type: "string",
    description: "US dollars per million prompt and completion tokens of the judge, where not public",
    valueHint: "p,c,cached=...",
  },
  distribute: {
    type: "boolean",
    description: "Play the same questions dealt among agents too, by all methods that can; a table of their own",
  },
  "max-tokens": {
    type: "string",
    description: "Of one reply (default: each protocol's ceiling, such as 1024, DyLAN's 2048; --list shows them)",
    valueHint: "n",
  },
  shots: {
    type: "string",
    description: "Worked examples of every method, instead of each paper's",
    valueHint: "n",
  },
  insecure: { type: "boolean", description: "Send the key over http to another machine" },
  folder: {
    type: "string",
    description: "Where data files are kept (default: $LACONIC_DATA)",
    valueHint: "folder",
  },
  "dry-run": { type: "boolean", description: "Say what it would take, and stop" },
} as const;

/** Flags of `bench --tasks` alone. */
export const taskFlags = {
  "top-p": { type: "string", description: "Of the baselines on --tasks", valueHint: "p" },
  device: { type: "string", description: "Of the model on this machine that plays --tasks", valueHint: "name" },
  "chat-template-arguments": {
    type: "string",
    description: "Of that model's chat template, as JSON",
    valueHint: "json",
  },
} as const;

/** Flags of both. */
export const playFlags = {
  methods: {
    type: "string",
    description: "Names, with commas; a trained team as NAME=RUN; or ./FILE.ts that exports one",
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
  run: { type: "string", description: "Directory of the bench", valueHint: "dir", default: "bench" },
  resume: {
    type: "boolean",
    description: "Go on with the bench in --run: what is missing or failed, and nothing else",
  },
} as const;

type Played = typeof playFlags & typeof spendingFlags & typeof timeoutFlag & typeof jsonFlag;

/** What a command gets of its flags. */
type FlagValues<Flags> = {
  readonly [Name in keyof Flags]:
    | (Flags[Name] extends { readonly type: "boolean" } ? boolean : string)
    | (Flags[Name] extends { readonly default: string } ? never : undefined);
};

/** The flags of `bench` on models, methods and questions, as typed. */
export type BenchArguments = FlagValues<Played & typeof questionFlags>;

/** The flags of `bench --tasks`, as typed. */
export type TaskArguments = FlagValues<Played & typeof taskFlags>;
