import { sumKinds, type TokenCounts } from "@laconic/core/ledger";
import { grouped } from "@laconic/core/numeric";
import type { MeteredCall, Quotation } from "./call.ts";
import { costOf, priceOf, type Prices } from "./limits.ts";

/** Sums of calls. Prompt and completion tokens equal the servers' reports. */
export interface Spent extends Omit<TokenCounts, "costUsd"> {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
  readonly retries: number;
  /** Calls whose server reported no tokens. */
  readonly unreported: number;
  /** Dollars of calls with a known price. */
  readonly usd: number;
  /** Calls without a known price. */
  readonly unpriced: number;
  /** Prompt tokens by share of characters: instructions, earlier prompts of the agent, other agents' replies, tools. */
  readonly systemTokens: number;
  readonly repeatedTokens: number;
  readonly readTokens: number;
  readonly toolTokens: number;
  /** Replies that no later prompt of their task quotes, except the task's last. */
  readonly unread: number;
  readonly toolCalls: number;
  readonly medianMs: number;
}

/** Text of one agent in the prompts of another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Calls that quote the agent. */
  readonly calls: number;
  /** Prompt tokens, counted by characters. */
  readonly tokens: number;
  readonly usd: number;
}

/** Bill of a folder of calls. */
export interface Ledger {
  readonly total: Spent;
  readonly agents: readonly Spent[];
  readonly tasks: readonly Spent[];
  readonly days: readonly Spent[];
  readonly models: readonly Spent[];
  readonly edges: readonly Edge[];
}

/**
 * Sums calls by agent, task, day and model; largest bill first.
 * @param prices - own prices in US dollars per million tokens, before the public ones
 * @param renamed - new names of agents
 */
export function ledgerOf(
  stored: readonly MeteredCall[],
  prices: Prices = {},
  renamed: Readonly<Record<string, string>> = {},
): Ledger {
  const nameOf = (agent: string) => (Object.hasOwn(renamed, agent) ? (renamed[agent] ?? agent) : agent);
  const calls = stored.map(({ agent, reads, ...call }) => ({
    ...call,
    usd: costOf(call, prices),
    agent: nameOf(agent),
    reads: reads.map((read) => ({ ...read, agent: nameOf(read.agent) })),
  }));
  const unread = unreadCalls(calls);
  const by = (key: (call: PricedCall) => string): Spent[] =>
    grouped(calls, key)
      .map((group) => spentOf(key(group[0]), group, unread))
      .toSorted((a, b) => b.usd - a.usd || b.promptTokens - a.promptTokens);
  return {
    total: spentOf("total", calls, unread),
    agents: by(({ agent }) => agent),
    tasks: by(({ task }) => task),
    days: by(({ time }) => time.slice(0, 10)).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    models: by(({ model }) => model),
    edges: edgesOf(calls, prices),
  };
}

/** A call with its dollars; null if they are unknown. */
type PricedCall = MeteredCall & { readonly usd: number | null };

function spentOf(name: string, calls: readonly PricedCall[], unread: ReadonlySet<string>): Spent {
  const count = (isCounted: (call: PricedCall) => boolean) => calls.filter(isCounted).length;
  const sum = (of: (call: PricedCall) => number) => calls.reduce((total, call) => total + of(call), 0);
  const tokensOf = (length: (call: MeteredCall) => number) =>
    Math.round(sum((call) => promptShare(call, length(call))));
  const usages = calls.flatMap(({ usage }) => usage ?? []);
  return {
    name,
    calls: calls.length,
    failed: count(({ status, isCut }) => status < 200 || status >= 300 || isCut),
    retries: count(({ isRetry }) => isRetry),
    unreported: count(({ usage }) => usage === null),
    promptTokens: sum(({ usage }) => usage?.promptTokens ?? 0),
    completionTokens: sum(({ usage }) => usage?.completionTokens ?? 0),
    ...sumKinds(usages.map((usage) => ({ ...usage, costUsd: 0 }))),
    usd: sum(({ usd }) => usd ?? 0),
    unpriced: count(({ usage, usd }) => usage !== null && usd === null),
    systemTokens: tokensOf(({ system }) => system),
    repeatedTokens: tokensOf(({ repeated }) => repeated),
    readTokens: tokensOf((call) => lengthOf(fromOthers(call))),
    toolTokens: tokensOf(({ toolResults }) => toolResults),
    unread: count(({ id }) => unread.has(id)),
    toolCalls: sum(({ toolCalls }) => toolCalls),
    medianMs: median(calls.map(({ milliseconds }) => milliseconds)),
  };
}

/** Prompt tokens of a part of a prompt, by characters. */
function promptShare({ usage, promptLength }: MeteredCall, characters: number): number {
  return promptLength === 0 ? 0 : ((usage?.promptTokens ?? 0) * characters) / promptLength;
}

function fromOthers({ agent, reads }: MeteredCall): readonly Quotation[] {
  return reads.filter((read) => read.agent !== agent);
}

function lengthOf(reads: readonly Quotation[]): number {
  return reads.reduce((sum, { characters }) => sum + characters, 0);
}

function edgesOf(calls: readonly MeteredCall[], prices: Prices): Edge[] {
  const edges = new Map<string, Edge>();
  for (const call of calls) {
    const { prompt = 0, cached = prompt } = priceOf(call.model, prices) ?? {};
    const { promptTokens = 0, cachedTokens = 0 } = call.usage ?? {};
    const rate =
      promptTokens === 0 ? 0 : ((promptTokens - cachedTokens) * prompt + cachedTokens * cached) / promptTokens;
    for (const reads of grouped(fromOthers(call), ({ agent }) => agent)) {
      const from = reads[0].agent;
      const tokens = promptShare(call, lengthOf(reads));
      const key = JSON.stringify([from, call.agent]);
      const { calls: before, tokens: read, usd } = edges.get(key) ?? { calls: 0, tokens: 0, usd: 0 };
      const sums = { calls: before + 1, tokens: read + tokens, usd: usd + (tokens * rate) / 1e6 };
      edges.set(key, { from, to: call.agent, ...sums });
    }
  }
  return [...edges.values()]
    .map((edge) => ({ ...edge, tokens: Math.round(edge.tokens) }))
    .toSorted((a, b) => b.usd - a.usd || b.tokens - a.tokens);
}

/** Replies with text that no later prompt of the task quotes. The last reply of a task is its answer. */
function unreadCalls(calls: readonly MeteredCall[]): ReadonlySet<string> {
  const unread = new Set<string>();
  for (const task of grouped(calls, ({ task: name }) => name)) {
    const read = new Set(task.flatMap(({ reads }) => reads.map(({ call }) => call)));
    for (const { id, replyLength } of task.slice(0, -1)) if (replyLength > 0 && !read.has(id)) unread.add(id);
  }
  return unread;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
