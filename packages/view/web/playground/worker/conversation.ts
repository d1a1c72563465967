import { ledgerTotals, type Episode, type Problem, type RewardTerms } from "@laconic/core";
import { chargesOf, costBreakdown, meanBreakdown } from "@laconic/core/ledger";
import type { Conversation, StepPoint, TeamState } from "./messages.ts";
import { levelRanges, type LevelName } from "./settings.ts";
import type { World } from "./world.ts";

/** An episode as a page shows it. */
export function conversationOf(
  { task, factOf, knows }: Pick<World, "task" | "factOf" | "knows">,
  problem: Problem,
  { utterances, answer, ledger }: Episode,
): Conversation {
  return {
    question: problem.question,
    gold: problem.gold,
    answer,
    right: task.grader?.(answer, problem) === 1,
    tokens: ledgerTotals(ledger).writtenTokens,
    turns: utterances.map(({ agent, turn, text, silent, writtenTokens }) => ({
      agent,
      fact: factOf(problem, agent),
      ...(knows && problem.views?.[agent] !== undefined && { knows: knows(problem, agent) }),
      read: (ledger.calls.find((call) => call.turn === turn)?.reads ?? []).flatMap((read) => {
        const written = utterances.find((each) => each.turn === read.turn);
        return written && !written.silent ? [{ from: read.from, text: written.text }] : [];
      }),
      text,
      silent,
      tokens: writtenTokens,
    })),
  };
}

const counts = new Map([["tokens", { kind: "tokens-written" } as const]]);

/** Means over a step's episodes: of each, where it was rewarded, the units of its costs and the terms of its reward. */
export function teamOf(
  episodes: readonly {
    readonly episode: Pick<Episode, "ledger" | "utterances">;
    readonly costs?: Readonly<Record<string, number>>;
    readonly terms?: RewardTerms;
  }[],
): TeamState {
  const [written, silent, turns] = [counter(), counter(), counter()];
  for (const { episode } of episodes) {
    const { ledger, utterances } = episode;
    for (const [agent, tokens] of Object.entries(ledgerTotals(ledger).writtenByAgent)) written.add(agent, tokens);
    for (const each of utterances) {
      turns.add(each.agent, 1);
      silent.add(each.agent, each.silent ? 1 : 0);
    }
  }
  return {
    written: written.by(() => episodes.length),
    silence: silent.by((agent) => turns.of(agent)),
    ...meanBreakdown(
      episodes.map(({ episode, costs = {}, terms = {} }) => costBreakdown(episode, chargesOf(costs, terms, counts))),
    ),
  };
}

/** The point of a row of `metrics.jsonl`. */
export function pointOf(row: Readonly<Record<string, unknown>>, level: LevelName): StepPoint {
  const number = (name: string): number => Number(row[name]);
  return {
    step: number("step"),
    episodes: Math.round(number("tokens/total") / number("tokens/episode_mean")),
    tokens: number("tokens/episode_mean"),
    accuracy: number("task/accuracy"),
    price: number("budget/tokens/lambda"),
    // While it warms up the controller measures, and aims at nothing.
    ...("measures/idle_silent" in row && {
      silent: { knowing: number("measures/holder_silent"), idle: number("measures/idle_silent") },
    }),
    target:
      number("step") > levelRanges[level].warmUpSteps && "budget/tokens/target" in row
        ? number("budget/tokens/target")
        : null,
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
