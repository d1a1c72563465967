import { createHash } from "node:crypto";
import type { MeteredCall, Quotation, Source } from "./call.ts";
import { runsOf, shortest, WrittenTexts } from "./quotations.ts";
import type { ReadReply } from "./read-reply.ts";
import type { PromptPart, ReadRequest } from "./read-request.ts";

/** Names that a request states. */
export type CallNames = {
  readonly [Kind in "agent" | "task"]?: { readonly name: string; readonly source: Source };
};

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** API key of a request; empty without one. */
export function keyOf(headers: Headers): string {
  const keys = ["authorization", "x-api-key", "api-key", "x-goog-api-key"].flatMap((name) => headers[name] ?? []);
  return keys.map((key) => key.replace(/^Bearer /u, "")).find(Boolean) ?? "";
}

/** Header, path and trace of a request. A path begins with `/agents/NAME` or `/tasks/NAME`. */
export function namesOf(headers: Headers, path: string): { readonly names: CallNames; readonly path: string } {
  const header = (name: string) => [headers[name] ?? []].flat().join();
  const found: { -readonly [K in keyof CallNames]: CallNames[K] } = {};
  let rest = path;
  for (let match; (match = /^\/(agent|task)s\/([^/]+)(?=\/)/u.exec(rest)); rest = rest.slice(match[0].length))
    found[match[1] as "agent" | "task"] = { name: unescaped(match[2]!), source: "path" };
  for (const kind of ["agent", "task"] as const) {
    const name = header(`x-laconic-${kind}`);
    if (name !== "") found[kind] = { name, source: "header" };
  }
  const [, trace] = /^[\da-f]{2}-([\da-f]{32})-/u.exec(header("traceparent")) ?? [];
  if (!found.task && trace !== undefined) found.task = { name: trace, source: "trace" };
  return { names: found, path: rest };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}

/** A call's agent and task, and what of its prompt is known. */
export type Recognised = Pick<
  MeteredCall,
  "agent" | "agentSource" | "task" | "taskSource" | "isRetry" | "repeated" | "reads"
>;

interface Task {
  readonly name: string;
  readonly replies: WrittenTexts<Omit<Quotation, "characters">>;
  /** Agents by the hash of a text line that they sent first. */
  readonly lines: Map<string, string>;
  /** Keys of its prompts in the index. */
  readonly prompts: Set<string>;
  /** Prompts by agent: hashes of the last one, and of all. */
  readonly last: Map<string, { readonly hashes: readonly string[]; hasFailed: boolean }>;
  readonly seen: Map<string, Set<string>>;
  /** Time and number of the last call. */
  lastMs: number;
  turn: number;
}

/** Hashes of a prompt's messages and long lines, and its texts that can quote replies. */
type ReadPrompt = Readonly<Record<"hashes" | "lines" | "texts", readonly string[]>>;

/** Shorter lines occur in many tasks. */
const lineLength = 24;
const forgetMs = 30 * 60_000;
const mostTasks = 500;
const mostShort = 200;
/** Maximum runs of words of a task; then the task is forgotten. */
const mostRuns = 100_000;

/**
 * Assigns calls to agents and tasks. The instructions identify an agent without a name. A prompt without a task's name
 * belongs to a task in three cases: it continues the agent's last prompt, it quotes a reply, or it shares a line with
 * another agent's prompt. Other calls begin tasks.
 */
export class Recogniser {
  readonly #tasks = new Map<string, Task>();
  readonly #responses = new Map<string, string>();
  /** Latest task by line of a prompt, by run of words of a reply, and by an agent's last prompt. */
  readonly #index = new Map<string | number, Task>();
  /** Latest task with a short reply. */
  readonly #short = new Map<string, Task>();
  readonly #newName: () => string;
  #turns = 0;

  /** @param newName - name of a task that begins */
  constructor(newName: () => string) {
    this.#newName = newName;
  }

  /** Takes a request at its start, so that parallel calls share their task. */
  begin({ parts, metadata, previous }: ReadRequest, names: CallNames, nowMs: number): Recognised {
    const system = parts.filter(({ role }) => role === "system").map(({ text }) => text);
    const named = names.agent ?? fromMetadata(metadata, "agent");
    const agent = named ?? { name: agentName(system.join("\n")), source: "text" as const };
    const hashes = parts.map(({ role, text }) => hashOf(`${role}\n${text}`));
    const [texts, lines] = [textsFor(parts), linesOf(parts)];
    this.#forget(nowMs);
    const namedTask = names.task ?? fromMetadata(metadata, "task");
    const known = previous === null ? undefined : this.#responses.get(previous);
    const task = namedTask
      ? this.#taskNamed(namedTask.name)
      : ((known === undefined ? undefined : this.#tasks.get(known)) ??
        this.#taskOf(agent.name, { hashes, lines, texts }) ??
        this.#taskNamed(this.#newName()));
    this.#tasks.delete(task.name);
    this.#tasks.set(task.name, task);
    [task.lastMs, task.turn] = [nowMs, ++this.#turns];
    const last = task.last.get(agent.name);
    const seen = task.seen.get(agent.name) ?? new Set();
    const isRetry = last?.hasFailed === true && last.hashes.join() === hashes.join();
    const repeated = sumLengths(parts.filter((_, i) => seen.has(hashes[i] ?? "")));
    task.last.set(agent.name, { hashes, hasFailed: false });
    for (const hash of hashes) seen.add(hash);
    task.seen.set(agent.name, seen);
    for (const line of lines) if (!task.lines.has(line)) task.lines.set(line, agent.name);
    const prompt = promptKey(agent.name, hashes, hashes.length - 1);
    task.prompts.add(prompt);
    for (const key of [...lines, prompt]) this.#index.set(key, task);
    const reads = task.replies.quotesIn(texts).map(({ author, characters }) => ({ ...author, characters }));
    const sources = { agentSource: agent.source, taskSource: namedTask?.source ?? "text" };
    return { agent: agent.name, task: task.name, ...sources, isRetry, repeated, reads };
  }

  end({ task: name, agent }: Recognised, call: string, { text, id }: ReadReply, hasFailed: boolean): void {
    const task = this.#tasks.get(name);
    if (!task) return;
    if (id !== "") this.#responses.set(id, name);
    const last = task.last.get(agent);
    if (last) last.hasFailed = hasFailed;
    const runs = task.replies.add({ call, agent }, text);
    for (const run of runs) this.#index.set(run, task);
    if (task.replies.runs.size > mostRuns) this.#drop(task);
    if (runs.length > 0 || text.trim().length < shortest) return;
    this.#short.set(text.trim(), task);
    if (this.#short.size > mostShort) this.#short.delete([...this.#short.keys()][0]!);
  }

  #taskNamed(name: string): Task {
    const empty = {
      replies: new WrittenTexts<Omit<Quotation, "characters">>(),
      lines: new Map(),
      prompts: new Set<string>(),
      last: new Map(),
      seen: new Map(),
    };
    return this.#tasks.get(name) ?? { name, ...empty, lastMs: 0, turn: 0 };
  }

  /** The latest task that a prompt belongs to. */
  #taskOf(agent: string, { hashes, lines, texts }: ReadPrompt): Task | undefined {
    const keys = [...lines, ...hashes.map((_, i) => promptKey(agent, hashes, i)), ...texts.flatMap(runsOf)];
    const short = [...this.#short].filter(([reply]) => texts.some((text) => text.includes(reply)));
    const candidates = new Set([...keys.map((key) => this.#index.get(key)), ...short.map(([, task]) => task)]);
    return [...candidates]
      .filter((task) => task !== undefined)
      .filter((task) => this.#tasks.get(task.name) === task)
      .toSorted((a, b) => b.turn - a.turn)
      .find(({ last, lines: known, replies }) => {
        const before = last.get(agent)?.hashes ?? [];
        const continues = before.length > 0 && before.every((hash, i) => hash === hashes[i]);
        return (
          (continues && (before.length < hashes.length || last.get(agent)?.hasFailed)) ||
          texts.some((text) => replies.spansIn(text).length > 0) ||
          lines.some((line) => (known.get(line) ?? agent) !== agent)
        );
      });
  }

  #forget(nowMs: number): void {
    for (const task of this.#tasks.values()) {
      if (nowMs - task.lastMs <= forgetMs && this.#tasks.size < mostTasks) break;
      this.#drop(task);
    }
    for (const [id, name] of this.#responses) {
      if (this.#tasks.has(name)) break;
      this.#responses.delete(id);
    }
  }

  #drop(task: Task): void {
    this.#tasks.delete(task.name);
    for (const key of [...task.lines.keys(), ...task.prompts, ...task.replies.runs.keys()])
      if (this.#index.get(key) === task) this.#index.delete(key);
  }
}

function promptKey(agent: string, hashes: readonly string[], end: number): string {
  return `${agent} ${end} ${hashes[end]}`;
}

function fromMetadata(metadata: ReadRequest["metadata"], key: string): CallNames["agent"] {
  const name = metadata[key];
  return typeof name === "string" && name !== "" ? { name, source: "metadata" } : undefined;
}

/** First words of the instructions, and a hash without digits: dates and counters do not change the agent. */
function agentName(system: string): string {
  if (system === "") return "no instructions";
  const words = system.match(/[\p{L}\p{N}]+/gu) ?? [];
  return `${words.slice(0, 6).join(" ").slice(0, 40)} #${hashOf(system.replaceAll(/\d+/gu, "0")).slice(0, 4)}`;
}

function linesOf(parts: readonly PromptPart[]): readonly string[] {
  return parts
    .filter(({ role }) => role === "user")
    .flatMap(({ text }) => text.split("\n"))
    .map((line) => line.trim())
    .filter((line) => line.length >= lineLength)
    .map(hashOf);
}

export function sumLengths(parts: readonly PromptPart[]): number {
  return parts.reduce((sum, { text }) => sum + text.length, 0);
}

function textsFor(parts: readonly PromptPart[]): readonly string[] {
  return parts.filter(({ role }) => role !== "system").map(({ text }) => text);
}
