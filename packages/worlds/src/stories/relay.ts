import type { TeamTask } from "@laconic/tasks";
import { storyProblems } from "./story-problems.ts";
import { knownStory, tellerTeam, type TellerOptions } from "./teller-team.ts";

/** Size of the world. A teller's sentence has at most 40 tokens by default. */
export type StoryRelayOptions = TellerOptions;

/** One knows whose the thing is and tells the story on; one reads that and says the name. */
export function storyRelayTask(options: StoryRelayOptions): TeamTask {
  const { tokenizer, tellerTokens = 40, opening, heldOut = 200 } = options;
  return {
    ...tellerTeam("story-relay", ["teller"], { ...options, tellerTokens }),
    tokenizer,
    ...storyProblems(
      "story-relay",
      heldOut,
      (child) => ({
        id: `story-relay:${child.name}/${child.thing}`,
        question: child.thing,
        gold: child.name,
        views: { teller: knownStory(child, opening) },
      }),
      options,
    ),
  };
}
