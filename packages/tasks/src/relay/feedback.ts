import type { Problem, Random } from "@laconic/core";
import { relayPairTask, type RelayPairTask } from "./pair-task.ts";
import { letters } from "./problem.ts";

/**
 * Each agent has to say its key's value, in two turns. Wrong agents read their fact after the first. The grade is the
 * share of right agents.
 */
export function relayFeedbackTask(options: { readonly testProblems?: number } = {}): RelayPairTask {
  return relayPairTask({
    name: "relay-feedback",
    turns: 2,
    maxTokens: 3,
    transition: ({ question, gold }, history) => {
      const last = history.at(-1);
      if (!last) return [`?${question}`, `?${question}`];
      if (last.every((text, agent) => isRight(text, gold, agent))) return null;
      return last.map((text, agent) => `${isRight(text, gold, agent) ? "" : factOf(gold, agent)}?${question}`);
    },
    grade: (texts, { gold }) => ({ grade: texts.filter((text, agent) => isRight(text, gold, agent)).length / 2 }),
    draw,
    testProblems: options.testProblems ?? 200,
  });
}

/** `k6 e9` -> `k6`, `e9`. */
function factOf(gold: string, agent: number): string {
  return gold.split(" ")[agent] ?? "";
}

/** Checks for exactly one digit, the right one. */
function isRight(text: string, gold: string, agent: number): boolean {
  return text.replaceAll(/\D/gu, "") === factOf(gold, agent).slice(1);
}

function draw(random: Random): Problem {
  const [a, b] = random.shuffle(letters) as [string, string];
  const gold = `${a}${random.integer(10)} ${b}${random.integer(10)}`;
  return { id: `relay-feedback:${gold}`, question: `${a}+${b}`, gold };
}
