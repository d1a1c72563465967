import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { configError, isRecord, LaconicError, randomFromSeed } from "@laconic/core";
import { counted, formatPoints, formatUsd } from "@laconic/core/text";
import { networkReason, withoutKey } from "@laconic/core/wire";
import {
  costOf,
  ledgerOf,
  messageValue,
  readReply,
  readTasks,
  targetOf,
  type AgentChange,
  type GradeAnswer,
  type MessageValue,
  type Prices,
  type RecordedCall,
  type RecordedTask,
} from "@laconic/meter";
import { loadSource } from "@laconic/runtime/resolver";
import { amountFlag, grouped, optionalPositional, textFlag, wholeFlag } from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag } from "../cli/flags.ts";
import { visibleJson, type Terminal } from "../cli/terminal.ts";
import { meterFolder, priceFlag, pricesIn, upstreamFlag, upstreamOf } from "./meter.ts";

export const meterValueCommand: Command = command({
  description: "Measure what an agent's messages are worth: replay recorded tasks with the agent changed",
  examples: [
    "laconic meter value meter --agent critic --max-usd 5 --grader grade.ts",
    "laconic meter value meter --agent planner --model gpt-4o-mini --judge gpt-4o --max-usd 5",
  ],
  args: {
    folder: optionalPositional(`Folder of recorded calls (default: ${meterFolder})`),
    ...grouped("Run", {
      agent: textFlag("Agent whose messages are left out", "NAME"),
      words: wholeFlag(1)("Ask the agent for at most n words instead", "n"),
      model: textFlag("Ask another model for the agent's messages instead", "MODEL"),
    }),
    ...grouped("Model", {
      grader: textFlag(
        "Module whose default export grades (answer, recorded, task) from 0 to 1 (default: same last number or text as recorded)",
        "FILE",
      ),
      judge: textFlag("Model that compares the answer with the recorded one", "MODEL"),
    }),
    ...grouped("Limits", {
      "max-usd": amountFlag("US dollars for all replays", "$"),
      tolerance: amountFlag("Stop when the interval is at most this many points to each side (default: 2)", "points"),
      tasks: wholeFlag(1)("Most tasks (default: all)", "n"),
      parallel: wholeFlag(1)("Tasks at a time", "n", "4"),
    }),
    ...grouped("Input", { ...upstreamFlag, ...priceFlag, since: textFlag("First day", "YYYY-MM-DD") }),
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    const { agent, "max-usd": maxUsd = Infinity } = args;
    if (agent === undefined) throw configError("--agent names the agent; laconic meter report lists them");
    const folder = resolve(args.folder ?? meterFolder);
    const { tasks: recorded, others } = await readTasks(folder, args.since);
    const withAgent = recorded.filter((task) => task.some((call) => call.agent === agent));
    const tasks = randomFromSeed("meter value").shuffle(withAgent);
    if (tasks.length === 0)
      throw configError(`${folder} has no whole task with an agent ${agent} and stored texts`, { folder, agent });
    const prices = await pricesIn(args.prices);
    const client = new ReplayClient(upstreamOf(args.upstream), prices, maxUsd !== Infinity);
    const change = changeOf(args.words, args.model);
    const graded = await gradeOf(args.grader, args.judge, client);
    const bill = monthlyBill(recorded, agent, prices);
    terminal.note(`${counted(tasks.length, "task")} with ${agent}, ${others} without stored texts or unfinished`);
    const value = await messageValue({
      ...graded,
      tasks: tasks.slice(0, args.tasks),
      agent,
      change,
      resend: (call, body) => client.resend(call, body),
      tolerance: (args.tolerance ?? 2) / 100,
      parallel: args.parallel,
      budget: { maxUsd, spentUsd: () => client.spentUsd, boundOf: (task) => client.boundOf(task, agent, graded) },
      onTask: ({ tasks: count }) => {
        if (count % 20 === 0) terminal.note(`${count} tasks, ${formatUsd(client.spentUsd)}`);
      },
    });
    const result = { agent, change, ...value, usd: client.spentUsd, calls: client.calls, monthlyUsd: bill };
    if (args.json) return terminal.result(visibleJson(result));
    printValue(result, tasks.length, terminal);
  },
});

type Result = MessageValue & {
  readonly agent: string;
  readonly change: AgentChange;
  readonly usd: number;
  readonly calls: number;
  /** Null without a price. */
  readonly monthlyUsd: number | null;
};

const ends: Readonly<Record<MessageValue["end"], string>> = {
  decided: "The sign is decided.",
  narrow: "The interval is narrow enough.",
  limit: "The next tasks may cost more than --max-usd.",
  tasks: "All tasks were played.",
};

function printValue(
  { agent, change, difference, tasks, skipped, usd, calls, monthlyUsd, end }: Result,
  all: number,
  terminal: Terminal,
): void {
  const { value, low, high } = difference;
  const what = { without: "Without it", words: "With a limit of words", model: "With the other model" }[change.kind];
  const bill = monthlyUsd === null ? "an unknown sum (name prices with --prices)" : formatUsd(monthlyUsd);
  terminal.result(`${agent} costs ${bill} per month, with the reading of its messages.`);
  if (tasks > 0)
    terminal.result(
      `${what}: ${formatPoints(value)} points (95 %: ${formatPoints(low)} to ${formatPoints(high)}; ${tasks} of ${all} tasks, ${counted(calls, "call")}, ${formatUsd(usd)}).`,
    );
  terminal.result(tasks > 0 || end !== "tasks" ? ends[end] : "No task can be replayed.");
  if (skipped > 0)
    terminal.note(
      `${counted(skipped, "task")} cannot be replayed: ${agent} answers, or a prompt quotes a part of a reply`,
    );
}

function changeOf(words: number | undefined, model: string | undefined): AgentChange {
  if (words !== undefined && model !== undefined) throw configError("--words and --model: choose one");
  if (words !== undefined) return { kind: "words", words };
  return model === undefined ? { kind: "without" } : { kind: "model", model };
}

/** Dollars of the agent's calls and of reading its replies, for 30 days like those recorded; null without prices. */
function monthlyBill(tasks: readonly RecordedTask[], agent: string, prices: Prices): number | null {
  const calls = tasks.flat();
  const { agents, edges, total } = ledgerOf(calls, prices);
  if (total.unpriced > 0) return null;
  const rows = [...agents.filter(({ name }) => name === agent), ...edges.filter(({ from }) => from === agent)];
  const times = calls.map(({ time }) => Date.parse(time)).toSorted((a, b) => a - b);
  const days = Math.max(1, ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 86_400_000);
  return (rows.reduce((sum, { usd }) => sum + usd, 0) * 30) / days;
}

type Grading = Readonly<{ grade: GradeAnswer; hasControl: boolean }>;

async function gradeOf(grader: string | undefined, judge: string | undefined, client: ReplayClient): Promise<Grading> {
  if (grader !== undefined && judge !== undefined) throw configError("--grader and --judge: choose one");
  if (judge !== undefined)
    return { hasControl: true, grade: (answer, recorded) => client.judge(judge, answer, recorded) };
  if (grader === undefined)
    return { hasControl: true, grade: async (answer, recorded) => Number(agreed(answer) === agreed(recorded)) };
  const { default: own } = await loadSource(resolve(grader));
  if (typeof own !== "function")
    throw configError(`--grader ${grader}: the default export is not a function`, { grader });
  const grade: GradeAnswer = async (answer, recorded, task) => {
    const location = `--grader ${grader}, task ${task[0]?.task}`;
    let score: unknown;
    try {
      score = await (own as GradeAnswer)(answer, recorded, task);
    } catch (error) {
      throw configError(`${location}: ${(error as Error).message}`, { grader }, error);
    }
    if (typeof score === "number" && score >= 0 && score <= 1) return score;
    throw configError(`${location}: expected a grade from 0 to 1, got ${String(score)}`, { grader });
  };
  return { grade, hasControl: false };
}

/** The last number of an answer, otherwise its words. */
function agreed(answer: string): string {
  const numbers = answer.replaceAll(/(?<=\d),(?=\d{3})/gu, "").match(/-?\d+(?:\.\d+)?/gu);
  return numbers ? String(Number(numbers.at(-1))) : (answer.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}

const judgePrompt = "Do both answers say the same? Differences in wording and detail do not count. Reply YES or NO.";
const retryMs = [1000, 5000, 20_000];

/** Sends recorded requests again and counts their cost. */
class ReplayClient {
  readonly #upstream: ReturnType<typeof upstreamOf>;
  readonly #prices: Prices;
  readonly #needsPrices: boolean;
  spentUsd = 0;
  calls = 0;

  constructor(upstream: ReturnType<typeof upstreamOf>, prices: Prices, needsPrices: boolean) {
    [this.#upstream, this.#prices, this.#needsPrices] = [upstream, prices, needsPrices];
  }

  /** Upper bound of a task: the calls from the agent's first on, with four times their recorded completion. */
  boundOf(task: RecordedTask, agent: string, { hasControl }: Grading): number {
    const first = task.findIndex((call) => call.agent === agent);
    const bounds = task.slice(Math.max(0, first)).map(({ model, usage }) => {
      if (!usage) return 0;
      const { promptTokens, completionTokens } = usage;
      return costOf({ model, usage: { promptTokens, completionTokens: 4 * completionTokens } }, this.#prices) ?? 0;
    });
    return (hasControl ? 2 : 1) * bounds.reduce((sum, usd) => sum + usd, 0);
  }

  /** @throws LaconicError `api_refused`, `api_unavailable`, `config_invalid` without a price under a cap */
  resend(call: RecordedCall, body: unknown): Promise<string> {
    const { model = call.model } = isRecord(body) ? body : {};
    return this.#send(call.path, body, typeof model === "string" ? model : call.model);
  }

  /** 1 if a model says that both answers are the same. Only its first word counts. */
  async judge(model: string, answer: string, recorded: string): Promise<number> {
    const content = `${judgePrompt}\n\n${JSON.stringify({ first: recorded, second: answer })}`;
    const text = await this.#send("/v1/chat/completions", { model, messages: [{ role: "user", content }] }, model);
    return Number(/^\W*yes\b/iu.test(text));
  }

  async #send(path: string, body: unknown, model: string): Promise<string> {
    const key = process.env[path.endsWith("/messages") ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY"] ?? "";
    const headers = path.endsWith("/messages")
      ? { "anthropic-version": "2023-06-01", "x-api-key": key }
      : { authorization: `Bearer ${key}` };
    const url = targetOf(this.#upstream, headers, path);
    const init = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
    const reply = readReply(await post(url, { ...init, body: JSON.stringify(body) }, key));
    const usd = reply.usage && costOf({ model: reply.model || model, usage: reply.usage }, this.#prices);
    if (usd === null && this.#needsPrices)
      throw configError(`--max-usd needs the price of ${model}; name it with --prices`, { model });
    this.calls += 1;
    this.spentUsd += usd ?? 0;
    return reply.text;
  }
}

/** @throws LaconicError `api_refused`, `api_unavailable` */
async function post(url: URL, init: RequestInit, key: string): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const { status, text } = await fetch(url, init)
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((error: unknown) => ({ status: 0, text: networkReason(error) }));
    if (status === 200) return text;
    const message = `${url.host} answered ${status}: ${withoutKey(text.slice(0, 200), key)}`;
    const mayPass = status === 0 || status === 429 || status >= 500;
    if (!mayPass) throw new LaconicError("api_refused", message);
    if (attempt === retryMs.length) throw new LaconicError("api_unavailable", message);
    await sleep(retryMs[attempt]);
  }
}
