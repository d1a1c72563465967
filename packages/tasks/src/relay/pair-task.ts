import type { Problem, Random } from "@laconic/core";
import { jointBaselines, synchronousTurns, type JointGame, type JointWords, type Player } from "@laconic/topologies";
import { evaluationSplits, textsOf, type TeamTask, type WorldTask } from "../task.ts";
import { drawUntil, isKept } from "./problem.ts";
import { renderTokens, tokensPrompt } from "./prompts.ts";
import { relayMarks, relayTokenizer } from "./tokenizer.ts";

/** Task of two concurrent agents with one grade: the term `task`, 0 to 1. */
export type RelayPairTask = WorldTask & Required<Pick<TeamTask, "game" | "reward" | "baselines">>;

/** Grade of two texts, 0 to 1, and its measures; silence is an empty text. */
export interface PairJudgement {
  readonly grade: number;
  readonly measures?: Readonly<Record<string, number>>;
}

const agents = ["first", "second"] as const;

export function isKeptPair(world: string): (problem: Problem) => boolean {
  return ({ id }) => isKept(`${world} split ${id}`);
}

export function relayPairTask(options: {
  readonly name: string;
  readonly turns: number;
  readonly maxTokens: number;
  readonly transition: JointGame["transition"];
  readonly grade: (texts: readonly [first: string, second: string], problem: Problem) => PairJudgement;
  readonly draw: (random: Random) => Problem;
  readonly testProblems: number;
}): RelayPairTask {
  const { name, turns, maxTokens, transition, grade, draw, testProblems } = options;
  const game: JointGame = {
    players: [player(agents[0], "holder-a", maxTokens), player(agents[1], "holder-b", maxTokens)],
    turns,
    transition,
  };
  const isForEvaluation = isKeptPair(name);
  const drawn = (random: Random, wanted: boolean): Problem =>
    drawUntil(
      () => draw(random),
      (problem) => isForEvaluation(problem) === wanted,
    );
  return {
    name,
    topology: synchronousTurns(game.players, game),
    game,
    tokenizer: relayTokenizer,
    baselines: jointBaselines(game, wordsOf(game)),
    reward: (episode, problem) => {
      const { grade: task, measures } = grade(textsOf(episode, agents), problem);
      return { team: { task }, ...(measures && { measures }) };
    },
    problems: (random, count) => Array.from({ length: count }, () => drawn(random, false)),
    ...evaluationSplits(testProblems, name, (random) => drawn(random, true)),
  };
}

/** The shipped policy knows no marker, so a single model writes one text after the other. */
function wordsOf({ players }: JointGame): JointWords {
  return {
    single: { player: { ...(players[0] as Player), id: "single" } },
    having: (question, received) => [question, ...received.map(({ text }) => text)].join("|"),
  };
}

/** Player that reads `facts?question`; others' texts (`facts?question|text`) and its own replies follow after marks. */
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
      const texts = [...earlier, ...received].flatMap((text) => [next, ...encode(text)]);
      const first = relayMarks.role[role] as number;
      return tokensPrompt([first, ...encode(facts), mark, ...encode(question), ...texts, reply]);
    },
    renderPrompt: renderTokens,
  };
}
