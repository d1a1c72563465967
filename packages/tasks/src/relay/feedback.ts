import type { Problem, Random } from "@laconic/core";
import { relayPairTask, type RelayPairTask } from "./pair-task.ts";

const keys = "abcdefghijklmnopqrstuvwxyz".split("");

/**
 * Two turns with feedback from outside, on two cores: the first is to say the value of one key, the second of the other, in
 * at most three tokens. In the first turn nobody knows anything; then each who was wrong is told the fact, and each who was
 * right is asked again as before. The grade is the share of the two that are right.
 */
export function relayFeedbackTask(options: { readonly testProblems?: number } = {}): RelayPairTask {
  return relayPairTask({
    name: "relay-feedback",
    turns: 2,
    maxTokens: [3, 3],
    transition: ({ question, gold }, history) => {
      const last = history.at(-1);
      if (!last) return [`?${question}`, `?${question}`];
      if (last.every((text, i) => isRight(text, gold, i))) return null;
      return last.map((text, i) => `${isRight(text, gold, i) ? "" : factOf(gold, i)}?${question}`);
    },
    grade: (texts, { gold }) => ({ grade: texts.filter((text, i) => isRight(text, gold, i)).length / 2 }),
    draw,
    testProblems: options.testProblems ?? 200,
  });
}

/** `k6 e9` -> `k6`, `e9`. */
function factOf(gold: string, agent: number): string {
  return gold.split(" ")[agent] ?? "";
}

/** The reply holds one digit, the right one. */
function isRight(text: string, gold: string, agent: number): boolean {
  return text.replaceAll(/\D/gu, "") === factOf(gold, agent).slice(1);
}

function draw(random: Random): Problem {
  const [a, b] = random.shuffle(keys) as [string, string];
  const gold = `${a}${random.integer(10)} ${b}${random.integer(10)}`;
  return { id: `relay-feedback:${gold}`, question: `${a}+${b}`, gold };
}
