import { ledgerTotals, type Episode, type Problem } from "@laconic/core";
import { relayGrader } from "@laconic/tasks";
import type { Conversation, StepPoint, TeamState } from "./messages.ts";
import { warmUpSteps } from "./settings.ts";

/** An episode as a page shows it. */
export function conversationOf(problem: Problem, { utterances, answer, ledger }: Episode): Conversation {
  return {
    question: problem.question,
    gold: problem.gold,
    answer,
    right: relayGrader(answer, problem) === 1,
    tokens: ledgerTotals(ledger).writtenTokens,
    turns: utterances.map(({ agent, turn, text, silent, writtenTokens }) => ({
      agent,
      fact: problem.views?.[agent] ?? null,
      heard: (ledger.calls.find((call) => call.turn === turn)?.reads ?? []).flatMap((read) => {
        const said = utterances.find((each) => each.turn === read.turn);
        return said && !said.silent ? [{ from: read.from, text: said.text }] : [];
      }),
      ...{ text, silent },
      tokens: writtenTokens,
    })),
  };
}

/** Means over a step's episodes. */
export function teamOf(episodes: readonly Episode[]): TeamState {
  const [written, silent, turns, read] = [counter(), counter(), counter(), counter()];
  for (const { ledger, utterances } of episodes) {
    const totals = ledgerTotals(ledger);
    for (const [agent, tokens] of Object.entries(totals.writtenByAgent)) written.add(agent, tokens);
    for (const [edge, tokens] of Object.entries(totals.readByEdge)) read.add(edge, tokens);
    for (const each of utterances) {
      turns.add(each.agent, 1);
      silent.add(each.agent, each.silent ? 1 : 0);
    }
  }
  return {
    written: written.by(() => episodes.length),
    silence: silent.by((agent) => turns.of(agent)),
    edges: Object.entries(read.by(() => episodes.length)).map(([edge, tokens]) => {
      const [from = "", to = ""] = edge.split("->");
      return { from, to, tokens };
    }),
  };
}

/** The point of a row of `metrics.jsonl`. */
export function pointOf(row: Readonly<Record<string, unknown>>): StepPoint {
  const number = (name: string): number => Number(row[name]);
  return {
    step: number("step"),
    tokens: number("tokens/episode_mean"),
    accuracy: number("task/accuracy"),
    price: number("budget/tokens/lambda"),
    // While it warms up the controller measures, and aims at nothing.
    target: number("step") > warmUpSteps && "budget/tokens/target" in row ? number("budget/tokens/target") : null,
  };
}

interface Counter {
  add(key: string, value: number): void;
  of(key: string): number;
  by(count: (key: string) => number): Record<string, number>;
}

function counter(): Counter {
  const sums = new Map<string, number>();
  return {
    add: (key, value) => void sums.set(key, (sums.get(key) ?? 0) + value),
    of: (key) => sums.get(key) ?? 0,
    by: (count) => Object.fromEntries(Array.from(sums, ([key, sum]) => [key, sum / Math.max(1, count(key))])),
  };
}
