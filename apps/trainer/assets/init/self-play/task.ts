// Two players take one to three stones in turn; the last stone wins. Their rewards are opposite, and both learn.
import type { ExampleFunction, Problem, Prompt, Reward } from "@laconic/core";
import { defineTask } from "@laconic/tasks";
import { programTopology } from "@laconic/topologies";

/** Heaps that the first player can always win: not divisible by four. */
const heaps = [3, 5, 6, 7, 9, 10, 11];
const games = (rounds: readonly number[]) =>
  heaps.flatMap((heap) =>
    rounds.map((round): Problem => ({
      id: `${heap}/${round}`,
      question: `${heap} stones, game ${round}`,
      gold: "first",
    })),
  );

const system = "Take 1, 2 or 3.";
const messages = (left: number) => [
  { role: "system" as const, content: system },
  { role: "user" as const, content: String(left) },
];
/** Number of stones that a reply takes; 0 for an illegal move, which loses. */
const taken = (text: string, left: number) => (/^[1-3]$/u.test(text) && Number(text) <= left ? Number(text) : 0);

const nim = programTopology({
  name: "nim",
  agents: ["first", "second"],
  async play(stage) {
    let left = Number.parseInt(stage.problem.question);
    for (let turn = 0; left > 0; turn++) {
      const prompt: Prompt = { kind: "messages", messages: messages(left) };
      const [move] = await stage.say({ agent: turn % 2 === 0 ? "first" : "second", prompt, maxTokens: 4 });
      const stones = taken(move?.utterance.text ?? "", left);
      if (stones === 0) break;
      left -= stones;
    }
  },
  answer: (turns) => turns.at(-1)?.utterance ?? null,
});

/** The first player earns the team's term `task` for a win. The second earns the opposite, without a share of it. */
const reward: Reward = ({ utterances }, { question }) => {
  const left = utterances.slice(0, -1).reduce((heap, { text }) => heap - Number(text), Number.parseInt(question));
  const last = utterances.at(-1);
  const legal = taken(last?.text ?? "", left) > 0;
  const won = (last?.agent === "first") === legal ? 1 : 0;
  return { team: { task: won }, agents: { second: { win: 1 - 2 * won } } };
};

/** Warm-start examples: the rules, and random moves. */
export const examples: ExampleFunction = (_, random) => {
  const left = 1 + random.integer(11);
  const move = String(1 + random.integer(Math.min(3, left)));
  return { messages: [...messages(left), { role: "assistant", content: move }] };
};

export default defineTask({
  name: "nim",
  topology: nim,
  train: games([1, 2, 3, 4, 5, 6, 7, 8]),
  testProblems: games([9, 10, 11, 12, 13, 14, 15, 16]),
  reward,
});
