import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { configError, isRecord } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { columnsOf, counted, csvLine, formatCount, formatUsd } from "@laconic/core/text";
import { serverAddress } from "@laconic/core/wire";
import {
  ledgerOf,
  meterProxy,
  openStore,
  readCalls,
  Recorder,
  Spending,
  type Ledger,
  type Prices,
  type ProxyOptions,
  type Spent,
} from "@laconic/meter";
import { boundPort, closeServer, listen } from "@laconic/serve";
import {
  amountFlag,
  choiceFlag,
  type Flags,
  grouped,
  namesFlag,
  optionalPositional,
  optionalToggle,
  textFlag,
  toggle,
  wholeFlag,
} from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag } from "../cli/flags.ts";
import { exitCodeOfSignal, interrupted } from "../cli/interruption.ts";
import { visibleJson, type Terminal } from "../cli/terminal.ts";

export const meterFolder: string = "meter";
const bases = { openai: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com" } as const;

export const priceFlag: Flags<{ readonly prices: string | undefined }> = grouped("Input", {
  prices: textFlag(
    'JSON file of US dollars per million tokens: {"MODEL": {"prompt": 1, "completion": 4}}',
    "FILE.json",
  ),
});

export const upstreamFlag: Flags<{ readonly upstream: string | undefined }> = {
  upstream: textFlag(
    "Base URL of the model server (default: OPENAI_BASE_URL and ANTHROPIC_BASE_URL, or the providers' own)",
    "url",
  ),
};

const now = () => new Date().getTime();

export const meterCommand: Command = command({
  description: "Record what each agent of an application reads, writes and costs, through a local proxy",
  examples: ["laconic meter -- npm start", "laconic meter --upstream https://openrouter.ai/api/v1 --port 8400"],
  args: {
    ...grouped("Server", {
      ...upstreamFlag,
      port: wholeFlag(0, 65_535)("Port of the proxy on this machine; 0 for a free one", "n", "0"),
    }),
    ...grouped("Output", {
      out: textFlag("Folder of the recorded calls", "folder", meterFolder),
      texts: optionalToggle("Store the texts of prompts and replies (default: yes)"),
    }),
    ...priceFlag,
    ...grouped("Limits", {
      "keep-days": wholeFlag()("Days until recorded calls are deleted (default: never)", "n"),
      "max-day": amountFlag("US dollars per day; later calls are refused with status 429", "$"),
      "max-task": amountFlag("US dollars per task", "$"),
      "max-agent": namesFlag("US dollars per agent and day", "NAME=$,..."),
    }),
  },
  rest: "words",
  run: async (args, { terminal, rest }) => {
    const folder = resolve(args.out);
    const upstream = upstreamOf(args.upstream);
    const prices = await pricesIn(args.prices);
    const agents = Object.fromEntries((args["max-agent"] ?? []).map(agentLimit));
    const limits = { agents, task: args["max-task"], day: args["max-day"] };
    const spending = new Spending(limits, prices);
    const store = await openStore(folder, { texts: args.texts ?? true, keepDays: args["keep-days"] ?? 0 });
    // Limits also hold over several starts on a day.
    const isLimited = Object.keys(agents).length > 0 || limits.task !== undefined || limits.day !== undefined;
    const today = new Date(now()).toISOString().slice(0, 10);
    if (isLimited) for (const call of (await readCalls(folder, today)).calls) spending.add(call);
    const recorder = new Recorder({
      store,
      now,
      onCall: (call) => spending.add(call),
      onGap: (reason) => terminal.warn(`not recorded: ${reason}`),
    });
    const server = meterProxy({ recorder, upstream, spending, now });
    await listen(server, args.port, "127.0.0.1");
    const url = `http://127.0.0.1:${boundPort(server, args.port)}`;
    const environment = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_BASE: `${url}/v1`, ANTHROPIC_BASE_URL: url };
    terminal.note(`meter on ${url}: OpenAI's base URL is ${url}/v1, Anthropic's ${url}; ctrl-c stops`);
    const [program, ...words] = rest;
    let code: unknown;
    try {
      code = program === undefined ? await interrupted() : await runProgram(program, words, environment);
    } finally {
      await closeServer(server, 5000);
      store.close();
    }
    const { calls } = await readCalls(folder);
    for (const line of reportLines(ledgerOf(calls, prices), "agents", terminal)) terminal.note(line);
    terminal.note(`all tables: laconic meter report ${args.out}`);
    return typeof code === "number" ? code : 0;
  },
});

/** Runs a program with the meter's base URLs; returns its exit code. */
async function runProgram(program: string, words: readonly string[], environment: object): Promise<number> {
  const child = spawn(program, words, { stdio: "inherit", env: { ...process.env, ...environment } });
  const stop = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return code ?? exitCodeOfSignal(signal ?? "SIGTERM");
  } catch (error) {
    throw configError(`${program} cannot be started: ${(error as Error).message}`, { program }, error);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
  }
}

const tables = ["agents", "tasks", "days", "models", "edges"] as const;
type TableName = (typeof tables)[number];

export const meterReportCommand: Command = command({
  description: "Print the bill of recorded calls by agent, task, day, model, or who reads whom",
  examples: ["laconic meter report meter", "laconic meter report meter --by edges --since 2026-11-01 --csv"],
  args: {
    folder: optionalPositional(`Folder of recorded calls (default: ${meterFolder})`),
    ...priceFlag,
    ...grouped("Input", {
      since: textFlag("First day", "YYYY-MM-DD"),
      rename: namesFlag("Other names of agents", "OLD=NEW,..."),
    }),
    ...grouped("Output", {
      by: choiceFlag("Single table (default: agents and edges)", tables),
      csv: toggle("Print CSV"),
    }),
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    const folder = resolve(args.folder ?? meterFolder);
    const prices = await pricesIn(args.prices);
    const { calls, lost, damaged } = await readCalls(folder, args.since);
    const renamed = Object.fromEntries((args.rename ?? []).map((pair) => pairOf(pair, "rename")));
    const ledger = ledgerOf(calls, prices, renamed);
    if (args.json) return terminal.result(visibleJson({ folder, lost, damaged, ...ledger }));
    const shown = args.by === undefined ? (["agents", "edges"] as const) : [args.by];
    for (const name of shown)
      if (args.csv) for (const row of rowsOf(ledger, name)) terminal.result(csvLine(row));
      else for (const line of reportLines(ledger, name, terminal)) terminal.result(line);
    if (lost > 0)
      terminal.note(`${counted(lost, "call")} began and did not end: the meter was killed, or they still run`);
    if (damaged > 0) terminal.note(`${counted(damaged, "line")} cannot be read`);
    if (ledger.total.unpriced > 0)
      terminal.note(`${counted(ledger.total.unpriced, "call")} without a known price; name prices with --prices`);
  },
});

const spentColumns: readonly (readonly [string, (row: Spent) => string])[] = [
  ["calls", ({ calls }) => formatCount(calls)],
  ["failed", ({ failed }) => formatCount(failed)],
  ["prompt", ({ promptTokens }) => formatCount(promptTokens)],
  ["cached", ({ cachedTokens = 0 }) => formatCount(cachedTokens)],
  ["repeated", ({ repeatedTokens }) => formatCount(repeatedTokens)],
  ["from agents", ({ readTokens }) => formatCount(readTokens)],
  ["written", ({ completionTokens }) => formatCount(completionTokens)],
  ["reasoning", ({ reasoningTokens = 0 }) => formatCount(reasoningTokens)],
  ["unread", ({ unread }) => formatCount(unread)],
  ["ms", ({ medianMs }) => formatCount(Math.round(medianMs))],
  ["dollars", ({ usd, unpriced, calls }) => (unpriced === calls ? "unknown" : formatUsd(usd))],
];

function rowsOf(ledger: Ledger, name: TableName): readonly (readonly string[])[] {
  if (name === "edges") {
    const rows = ledger.edges.map(({ from, to, calls, tokens, usd }) => {
      return [from, to, formatCount(calls), formatCount(tokens), formatUsd(usd)];
    });
    return [["writer", "reader", "calls", "tokens", "dollars"], ...rows];
  }
  const rows = ledger[name].length > 1 ? [...ledger[name], ledger.total] : ledger[name];
  return [
    [name.slice(0, -1), ...spentColumns.map(([heading]) => heading)],
    ...rows.map((row) => [row.name, ...spentColumns.map(([, cell]) => cell(row))]),
  ];
}

function reportLines(ledger: Ledger, name: TableName, terminal: Terminal): readonly string[] {
  const rows = rowsOf(ledger, name);
  if (rows.length === 1) return [name === "edges" ? "no agent read another" : "no calls were recorded"];
  return columnsOf(rows.map((row) => row.map((cell) => shortened(cell)))).map((line, i) =>
    i === 0 ? terminal.paint("bold", line) : line,
  );
}

function shortened(cell: string): string {
  return cell.length > 48 ? `${cell.slice(0, 47)}…` : cell;
}

/** @throws LaconicError `config_invalid` for an invalid address */
export function upstreamOf(url: string | undefined): ProxyOptions["upstream"] {
  const { OPENAI_BASE_URL: openai = bases.openai, ANTHROPIC_BASE_URL: anthropic = bases.anthropic } = process.env;
  const checked = (address: string, name: string) =>
    url === undefined
      ? serverAddress(address, name, { allowed: true, option: "" })
      : serverAddress(url, "--upstream", { allowed: true, option: "" });
  return { openai: checked(openai, "OPENAI_BASE_URL"), anthropic: checked(anthropic, "ANTHROPIC_BASE_URL") };
}

/** @throws LaconicError `config_invalid` */
export async function pricesIn(path: string | undefined): Promise<Prices> {
  if (path === undefined) return {};
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw configError(`--prices ${path}: ${(error as Error).message}`, { path }, error);
  });
  const prices = parseJson(text, path);
  for (const [model, price] of Object.entries(isRecord(prices) ? prices : { [path]: prices }))
    if (!isRecord(price) || ![price["prompt"], price["completion"]].every((usd) => typeof usd === "number" && usd >= 0))
      throw configError(`${path}: ${model} needs prompt and completion in US dollars per million tokens`, {
        path,
        model,
      });
  return prices as Prices;
}

function pairOf(pair: string, flag: string): readonly [string, string] {
  const end = pair.lastIndexOf("=");
  if (end < 1 || end === pair.length - 1) throw configError(`--${flag}: ${pair} is not NAME=VALUE`, { flag });
  return [pair.slice(0, end), pair.slice(end + 1)];
}

function agentLimit(pair: string): readonly [string, number] {
  const [name, amount] = pairOf(pair, "max-agent");
  if (!(Number(amount) >= 0))
    throw configError(`--max-agent: ${amount} is not an amount of US dollars`, { flag: "max-agent" });
  return [name, Number(amount)];
}
