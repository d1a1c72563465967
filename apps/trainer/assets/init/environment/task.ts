// A player guesses a number from 1 to 9; the environment says whether it is higher or lower. Each guess costs.
import { randomFromSeed, type ExampleFunction, type ExampleMessage, type Problem, type Random } from "@laconic/core";
import { defineEnvironment, defineTask } from "@laconic/tasks";
import { chatTemplate, solo } from "@laconic/topologies";

const problems = Array.from({ length: 9 }, (_, i) => i + 1).flatMap((number) =>
  Array.from({ length: 10 }, (_, round): Problem => {
    return { id: `${number}/${round}`, question: `game ${round}`, gold: String(number), group: `number ${number}` };
  }),
);
const shuffled = randomFromSeed("guessing").shuffle(problems);

const answerTo = (guess: string, gold: string) =>
  /^[1-9]$/u.test(guess) ? (Number(guess) < Number(gold) ? "higher" : "lower") : "a digit";

/** A state for each episode; what `step` answers is read and never trained on. */
const guessing = defineEnvironment<{ readonly gold: string }>({
  name: "guessing",
  maxSteps: 4,
  reset: ({ gold }) => ({ gold }),
  step({ gold }, { text }, { record }) {
    record("guesses");
    const guess = text.trim();
    return guess === gold ? { done: true } : { observation: answerTo(guess, gold), reward: -0.1 };
  },
});

const system = "Guess.";

/** What the model is shown: whole games, in which each guess fits what was said, and some do not halve what is left. */
export const examples: ExampleFunction = ({ question, gold }, random) => ({
  messages: [{ role: "system", content: system }, { role: "user", content: question }, ...game(gold, random)],
});

function game(gold: string, random: Random): ExampleMessage[] {
  const said: ExampleMessage[] = [];
  let [low, high] = [1, 9];
  for (let turn = 0; turn < 4; turn++) {
    const guess = random.uniform() < 0.7 ? (low + high) >> 1 : low + random.integer(high - low + 1);
    said.push({ role: "assistant", content: String(guess) });
    if (String(guess) === gold) break;
    const answer = answerTo(String(guess), gold);
    if (turn < 3) said.push({ role: "user", content: answer });
    if (answer === "higher") low = guess + 1;
    else high = guess - 1;
  }
  return said;
}

export default defineTask({
  name: "guessing",
  topology: solo({
    id: "player",
    role: "player",
    maxTokens: 16,
    prompt: chatTemplate("guessing@1", system, ({ question }) => question).render,
  }),
  environment: guessing,
  train: shuffled.slice(27),
  heldOut: shuffled.slice(0, 27),
  grader: (answer, { gold }) => (answer?.trim() === gold ? 1 : 0),
});
