import { writingReward } from "@laconic/benchmarks";
import { synchronousTurns, type JointGame } from "@laconic/topologies";
import type { TeamTask } from "../task.ts";
import { storyOf } from "./teller-team.ts";
import { continued, storyAgent } from "./story-agent.ts";
import { storyProbes } from "./probes.ts";
import { storyProblems } from "./story-problems.ts";

/** Size of the world. */
export interface StoryWritersOptions {
  /** Of the story model. */
  readonly tokenizer: TeamTask["tokenizer"];
  /** Most tokens of a text. Default 80. */
  readonly replyTokens?: number;
  /** Test problems, and as many of validation; 200 when absent. */
  readonly testProblems?: number;
}

const best = 3;

/**
 * MAGRPO's writing in English: two go on with the same story at once, the first briefly, the second at length, for one grade,
 * which is the paper's reward for summaries as a share of its best.
 */
export function storyWritersTask({ tokenizer, replyTokens = 80, testProblems = 200 }: StoryWritersOptions): TeamTask {
  const players = ["first", "second"].map((id) => ({
    ...storyAgent(id, "writer", replyTokens, () => ""),
    // Several sentences: a text ends with its paragraph.
    stop: ["\n"],
    prompt: (chat: readonly { readonly content: string }[]) => continued(chat.at(-1)?.content ?? ""),
  }));
  const game: JointGame = { players, turns: 1, transition: ({ question }) => players.map(() => question) };
  return {
    name: "story-writers",
    topology: synchronousTurns(players, game),
    game,
    tokenizer,
    reward: ({ outputs = {} }) => {
      const { first = "", second = "" } = outputs;
      return { task: writingReward("tldr", first, second, { strict: true }).reward / best };
    },
    probes: storyProbes,
    ...storyProblems("story-writers", testProblems, (child) => ({
      id: `story-writers:${child.name}/${child.thing}`,
      question: storyOf(child),
      gold: "two texts",
    })),
  };
}
