import { randomFromSeed, type Grader, type Problem, type Random, type Tokenizer, type Topology } from "@laconic/core";
import { synchronousTurns, type JointGame, type Player } from "@laconic/topologies";
import { distinct } from "../distinct.ts";
import { relayMarks, relayTokenizer } from "../relay/tokenizer.ts";
import { renderTokens, tokensPrompt } from "../relay/token-prompt.ts";

/** Two agents that answer at once, for one grade. */
export interface RelayPairTask {
  readonly name: string;
  readonly topology: Topology;
  readonly game: JointGame;
  readonly tokenizer: Tokenizer;
  /** Of the joint reply, both texts with `|` in the middle. */
  readonly grader: Grader;
  problems(random: Random, count: number): Problem[];
  readonly heldOut: readonly Problem[];
}

/** Parts a joint reply: no text of the relay's alphabet holds it. */
const between = "|";

/** The two texts of a joint reply. */
export function textsOf(answer: string | null): readonly [first: string, second: string] {
  const [first = "", second = ""] = (answer ?? "").split(between);
  return [first, second];
}

/** Agents, problems and grade of a pair; the two agents are asked as holders of the relay are. */
export function relayPairTask(options: {
  readonly name: string;
  readonly turns: number;
  readonly maxTokens: readonly [first: number, second: number];
  readonly transition: JointGame["transition"];
  readonly grader: Grader;
  readonly draw: (random: Random) => Problem;
  readonly heldOut: number;
}): RelayPairTask {
  const { name, turns, maxTokens, transition, grader, draw, heldOut } = options;
  const game: JointGame = {
    players: [player("first", "holder-a", maxTokens[0]), player("second", "holder-b", maxTokens[1])],
    turns,
    transition,
    join: (replies) => replies.join(between),
  };
  const isHeldOut = ({ id }: Problem): boolean => randomFromSeed(`${name} split ${id}`).integer(8) === 0;
  const drawn = (random: Random, wanted: boolean): Problem => {
    for (;;) {
      const problem = draw(random);
      if (isHeldOut(problem) === wanted) return problem;
    }
  };
  const stream = randomFromSeed(name);
  return {
    name,
    topology: synchronousTurns(game.players, game),
    game,
    tokenizer: relayTokenizer,
    grader,
    problems: (random, count) => Array.from({ length: count }, () => drawn(random, false)),
    heldOut: distinct(heldOut, () => drawn(stream, true)),
  };
}

/** Is asked `facts?question`; its own earlier reply stands behind a mark. */
function player(id: string, role: string, maxTokens: number): Player {
  const encode = (text: string): number[] => relayTokenizer.encode(text);
  return {
    id,
    maxTokens,
    prompt: (chat) => {
      const [facts = "", question = ""] = (chat.at(-1)?.content ?? "").split("?");
      const earlier = chat.filter((message) => message.role === "assistant").map(({ content }) => content);
      const { question: mark, next, reply } = relayMarks;
      const own = earlier.flatMap((text) => [next, ...encode(text)]);
      const first = relayMarks.role[role] as number;
      return tokensPrompt([first, ...encode(facts), mark, ...encode(question), ...own, reply]);
    },
    renderPrompt: renderTokens,
  };
}
