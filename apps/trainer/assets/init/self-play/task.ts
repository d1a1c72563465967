// Hide and seek: a hider gets a letter and writes two, its own among them; a seeker reads both and names the hider's. What one wins the
// other loses, and both learn.
import { randomFromSeed, type ExampleFunction, type Problem, type Reward } from "@laconic/core";
import { defineTask } from "@laconic/tasks";
import { chain, chatTemplate, type AgentSpec } from "@laconic/topologies";

const letters = "abcdefghijkl".split("");
const problems = letters.flatMap((letter) =>
  Array.from({ length: 12 }, (_, round): Problem => {
    return { id: `${letter}${round}`, question: `round ${round}`, gold: letter, views: { hider: letter } };
  }),
);
const shuffled = randomFromSeed("hiding").shuffle(problems);

const [hides, seeks] = ["Write two letters.", "Which is it?"];
const hider: AgentSpec = {
  id: "hider",
  role: "hider",
  maxTokens: 4,
  prompt: chatTemplate("hide@1", hides, ({ privateView }) => privateView ?? "?").render,
};
const seeker: AgentSpec = {
  id: "seeker",
  role: "seeker",
  maxTokens: 4,
  prompt: chatTemplate("seek@1", seeks, ({ inbox }) => inbox.at(-1)?.text ?? "?").render,
};

const isLegal = (text: string, letter: string) => /^[a-l]{2}$/u.test(text) && text.includes(letter);

/** The seeker earns a find, which is the team's term `task`; the hider a legal hiding that was not found, and no share of a find. */
const reward: Reward = ({ utterances, answer }, { gold }) => {
  const hidden = utterances.find(({ agent }) => agent === "hider")?.text ?? "";
  const found = answer?.trim() === gold ? 1 : 0;
  const hiding = isLegal(hidden, gold) ? 1 - found : -1;
  return { team: { task: found }, agents: { hider: { win: hiding - found } } };
};

/** What the models are shown: the rules of both. The order of the two letters, and which one is named, is by chance. */
export const examples: ExampleFunction = ({ gold }, random) => {
  const both = random.shuffle([gold, random.pick(letters)]).join("");
  const turn = (system: string, heard: string, said: string) => ({
    messages: [
      { role: "system" as const, content: system },
      { role: "user" as const, content: heard },
      { role: "assistant" as const, content: said },
    ],
  });
  return [turn(hides, gold, both), turn(seeks, both, random.pick(both.split("")))];
};

export default defineTask({
  name: "hide-and-seek",
  topology: chain([hider, seeker]),
  train: shuffled.slice(44),
  heldOut: shuffled.slice(0, 44),
  reward,
});
