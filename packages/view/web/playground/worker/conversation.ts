import { ledgerTotals, type Episode, type Problem, type RewardTerms } from "@laconic/core";
import { chargesOf } from "@laconic/core/ledger";
import { teamSpeech } from "../../../src/data/team-speech.ts";
import type { TeamSpeech } from "../../../src/protocol.ts";
import type { Conversation, StepPoint } from "./messages.ts";
import { levelRanges, type LevelName } from "./settings.ts";
import type { World } from "./world.ts";

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
        const written = utterances.find((utterance) => utterance.turn === read.turn);
        return written && !written.silent ? [{ from: read.from, text: written.text }] : [];
      }),
      text,
      silent,
      tokens: writtenTokens,
    })),
  };
}

const counts = new Map([["tokens", { kind: "tokens-written" } as const]]);

interface RewardedEpisode {
  readonly episode: Pick<Episode, "ledger" | "utterances">;
  readonly costs?: Readonly<Record<string, number>>;
  readonly terms?: RewardTerms;
}

export function teamOf(episodes: readonly RewardedEpisode[]): TeamSpeech {
  return teamSpeech(
    episodes.map(({ episode, costs = {}, terms = {} }) => ({ ...episode, charges: chargesOf(costs, terms, counts) })),
  );
}

export function pointOf(row: Readonly<Record<string, unknown>>, level: LevelName): StepPoint {
  const number = (name: string): number => Number(row[name]);
  return {
    step: number("step"),
    episodes: Math.round(number("tokens/total") / number("tokens/episode_mean")),
    tokens: number("tokens/episode_mean"),
    accuracy: number("task/accuracy"),
    price: number("budget/tokens/lambda"),
    ...("measures/idle_silent" in row && {
      silent: { knowing: number("measures/holder_silent"), idle: number("measures/idle_silent") },
    }),
    // The controller has no target during warm-up.
    target:
      number("step") > levelRanges[level].warmUpSteps && "budget/tokens/target" in row
        ? number("budget/tokens/target")
        : null,
  };
}
