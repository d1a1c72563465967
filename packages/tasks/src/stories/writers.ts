import { writingReward } from "@laconic/benchmarks";
import { synchronousTurns, type JointGame } from "@laconic/topologies";
import { textsOf, type TeamTask } from "../task.ts";
import { storyProbes } from "./probes.ts";
import { storyOf, storyProblems, textPrompt, type StoryOptions } from "./story.ts";

/** Settings of {@link storyWritersTask}. */
export interface StoryWritersOptions extends StoryOptions {
  /** Max tokens of a text. Default 80. */
  readonly replyTokens?: number;
}

/** Two agents continue one story, for MAGRPO's summary reward as a share of 3. */
export function storyWritersTask({ tokenizer, replyTokens = 80, testProblems = 200 }: StoryWritersOptions): TeamTask {
  const ids = ["first", "second"] as const;
  const players = ids.map((id) => ({
    id,
    role: "writer",
    maxTokens: replyTokens,
    stop: ["\n"],
    prompt: (chat: readonly { readonly content: string }[]) => textPrompt(chat.at(-1)?.content ?? ""),
  }));
  const game: JointGame = { players, turns: 1, transition: ({ question }) => players.map(() => question) };
  return {
    name: "story-writers",
    topology: synchronousTurns(players, game),
    game,
    tokenizer,
    reward: (episode) => ({ task: writingReward("tldr", ...textsOf(episode, ids), { strict: true }).reward / 3 }),
    probes: storyProbes,
    ...storyProblems("story-writers", testProblems, (child) => ({
      id: `story-writers:${child.name}/${child.thing}`,
      question: storyOf(child),
      gold: "two texts",
    })),
  };
}
