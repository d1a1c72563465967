import { randomFromSeed, type Problem, type Random, type Reward, type Tokenizer, type Topology } from "@laconic/core";
import { synchronousTurns, type JointGame, type Player } from "@laconic/topologies";
import { distinct } from "../distinct.ts";
import { relayMarks, relayTokenizer } from "../relay/tokenizer.ts";
import { renderTokens, tokensPrompt } from "../relay/token-prompt.ts";
import { textsOf } from "../texts-of.ts";

/** Two agents that answer at once, for one grade. */
export interface RelayPairTask {
  readonly name: string;
  readonly topology: Topology;
  readonly game: JointGame;
  readonly tokenizer: Tokenizer;
  /** The grade of both texts together, 0 to 1, as the term `task`. */
  readonly reward: Reward;
  problems(random: Random, count: number): Problem[];
  readonly heldOut: readonly Problem[];
}

/** Judges what the two wrote, 0 to 1; silence is an empty text. */
export type PairGrade = (texts: readonly [first: string, second: string], problem: Problem) => number;

const agents = ["first", "second"] as const;

/** Agents, problems and grade of a pair; the two agents are asked as holders of the relay are. */
export function relayPairTask(options: {
  readonly name: string;
  readonly turns: number;
  readonly maxTokens: readonly [first: number, second: number];
  readonly transition: JointGame["transition"];
  readonly grade: PairGrade;
  readonly draw: (random: Random) => Problem;
  readonly heldOut: number;
}): RelayPairTask {
  const { name, turns, maxTokens, transition, grade, draw, heldOut } = options;
  const game: JointGame = {
    players: [player(agents[0], "holder-a", maxTokens[0]), player(agents[1], "holder-b", maxTokens[1])],
    turns,
    transition,
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
    reward: (episode, problem) => ({ task: grade(textsOf(episode, agents), problem) }),
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
