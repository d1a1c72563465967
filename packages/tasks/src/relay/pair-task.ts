import { randomFromSeed, type Problem, type Random, type Reward, type Tokenizer, type Topology } from "@laconic/core";
import {
  jointBaselines,
  synchronousTurns,
  type JointBaseline,
  type JointGame,
  type JointWords,
  type Player,
} from "@laconic/topologies";
import { pairProbes } from "./pair-probes.ts";
import type { TaskProbes } from "../probe.ts";
import { evaluationSplits, textsOf } from "../task.ts";
import { relayMarks, relayTokenizer } from "./tokenizer.ts";
import { renderTokens, tokensPrompt } from "./token-prompt.ts";

/** Two agents that answer at once, for one grade. */
export interface RelayPairTask {
  readonly name: string;
  readonly topology: Topology;
  readonly game: JointGame;
  readonly tokenizer: Tokenizer;
  /** The grade of both texts together, 0 to 1, as the term `task`. */
  readonly reward: Reward;
  problems(random: Random, count: number): Problem[];
  readonly validation: readonly Problem[];
  readonly testProblems: readonly Problem[];
  /** The same work without training, one model or two. */
  readonly baselines: Readonly<Record<JointBaseline, Topology>>;
  readonly probes: TaskProbes;
}

/** Judges what the two wrote: the term `task`, 0 to 1, and what is counted beside; silence is an empty text. */
export type PairGrade = (texts: readonly [first: string, second: string], problem: Problem) => PairJudgement;

/** A grade, and what it is made of. */
export interface PairJudgement {
  readonly grade: number;
  readonly measures?: Readonly<Record<string, number>>;
}

const agents = ["first", "second"] as const;

/** Whether a problem of a pair's world is kept for validation and test: one in eight is, by its id. */
export function evaluationPair(world: string): (problem: Problem) => boolean {
  return ({ id }) => randomFromSeed(`${world} split ${id}`).integer(8) === 0;
}

/** Agents, problems and grade of a pair; the two agents are asked as holders of the relay are. */
export function relayPairTask(options: {
  readonly name: string;
  readonly turns: number;
  readonly maxTokens: readonly [first: number, second: number];
  readonly transition: JointGame["transition"];
  readonly grade: PairGrade;
  readonly draw: (random: Random) => Problem;
  readonly testProblems: number;
}): RelayPairTask {
  const { name, turns, maxTokens, transition, grade, draw, testProblems } = options;
  const game: JointGame = {
    players: [player(agents[0], "holder-a", maxTokens[0]), player(agents[1], "holder-b", maxTokens[1])],
    turns,
    transition,
  };
  const isForEvaluation = evaluationPair(name);
  const drawn = (random: Random, wanted: boolean): Problem => {
    for (;;) {
      const problem = draw(random);
      if (isForEvaluation(problem) === wanted) return problem;
    }
  };
  return {
    name,
    topology: synchronousTurns(game.players, game),
    game,
    tokenizer: relayTokenizer,
    probes: pairProbes(isForEvaluation),
    baselines: jointBaselines(game, wordsOf(game)),
    reward: (episode, problem) => {
      const { grade: task, measures } = grade(textsOf(episode, agents), problem);
      return { team: { task }, ...(measures && { measures }) };
    },
    problems: (random, count) => Array.from({ length: count }, () => drawn(random, false)),
    ...evaluationSplits(testProblems, name, (random) => drawn(random, true)),
  };
}

/**
 * What untrained pairs are asked: others' texts stand behind a mark. The shipped policy cannot be told of a marker, so a single
 * one is asked for one text after the other.
 */
function wordsOf({ players }: JointGame): JointWords {
  const { prompt, renderPrompt, maxTokens } = players[0] as Player;
  return {
    single: {
      player: { id: "single", maxTokens, ...(prompt && { prompt }), ...(renderPrompt && { renderPrompt }) },
    },
    having: (question, received) => [question, ...received.map(({ text }) => text)].join("|"),
  };
}

/** Is asked `facts?question`, with others' texts as `facts?question|text`; they and its own earlier replies stand behind marks. */
function player(id: string, role: string, maxTokens: number): Player {
  const encode = (text: string): number[] => relayTokenizer.encode(text);
  return {
    id,
    maxTokens,
    prompt: (chat) => {
      const [facts = "", asked = ""] = (chat.at(-1)?.content ?? "").split("?");
      const [question = "", ...received] = asked.split("|");
      const earlier = chat.filter((message) => message.role === "assistant").map(({ content }) => content);
      const { question: mark, next, reply } = relayMarks;
      const said = [...earlier, ...received].flatMap((text) => [next, ...encode(text)]);
      const first = relayMarks.role[role] as number;
      return tokensPrompt([first, ...encode(facts), mark, ...encode(question), ...said, reply]);
    },
    renderPrompt: renderTokens,
  };
}
