/**
 * Number guessing game of tinker-cookbook (`recipes/multiplayer_rl/guess_number`), its rules reworded. Rewards match on
 * recorded episodes: `test/outside-environments.test.ts`.
 *
 *     npm run -s laconic -- train examples/guess-number.ts --run runs/guess-number
 */
import { randomFromSeed, type Environment, type Problem } from "@laconic/core";
import { defineEnvironment, defineTask, type DefinedTask } from "@laconic/tasks";
import { chatTemplate, problemText, solo } from "@laconic/topologies";
import { defineRun, type RunDefinition } from "@laconic/cli";

const tries = 10;

/** An invalid guess costs 1 and an attempt; only the right number earns a reward. */
export const guessing: Environment = defineEnvironment<number>({
  name: "guess-number",
  reset: ({ gold }) => Number(gold),
  step(number, { text }, { record }) {
    const [, said = ""] = /^Guess: ([^\n]*)/u.exec(text) ?? [];
    // Python's integer syntax: surrounding spaces, a sign, and underscores between digits.
    if (!/^\s*[+-]?\d+(?:_\d+)*\s*$/u.test(said))
      return { observation: "That is no guess. Write `Guess: ` and a whole number, nothing else.", reward: -1 };
    const guess = Number(said.replaceAll("_", ""));
    if (guess !== number) return { observation: guess < number ? "Higher." : "Lower.", reward: 0 };
    record("found");
    return { reward: 1, done: true };
  },
  maxSteps: tries,
});

const problems = Array.from({ length: 1024 }, (_, number): Problem => {
  return { id: String(number), question: "Which number is it?", gold: String(number) };
});
const shuffled = randomFromSeed("guess-number").shuffle(problems);

const rules = `Find a whole number from 0 to 1024. Write \`Guess: \` and a number, nothing else. You are told
whether the number is higher or lower, and have ${tries} tries.`;

export const task: DefinedTask = defineTask({
  name: "guess-number",
  topology: solo({
    id: "player",
    role: "guesses",
    maxTokens: 64 * tries,
    prompt: chatTemplate("guess-number@1", rules, problemText).render,
  }),
  environment: guessing,
  // Only step rewards count; accuracy is the share of numbers found.
  reward: ({ measures }) => ({ team: {}, score: measures?.["found"] ?? 0 }),
  train: shuffled.slice(103),
  testProblems: shuffled.slice(0, 103),
});

const run: RunDefinition = defineRun({ task, model: "hub:Qwen/Qwen3-0.6B", train: { steps: 50 } });
export default run;
