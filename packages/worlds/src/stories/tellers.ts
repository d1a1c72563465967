import type { TeamTask } from "@laconic/tasks";
import { storyProblems } from "./story-problems.ts";
import { knownStory, tellerTeam, type TellerOptions } from "./teller-team.ts";

/** Size of the world. A teller's sentence has at most 20 tokens by default. */
export type StoryTellersOptions = TellerOptions;

const tellers = ["one", "two", "three"] as const;

/** What a teller sees who knows nothing; a story that is over gives silence a start. */
const idle = "The sun was bright. The end.";

/** Learned silence: one of three tellers, another one each time, knows whose the thing is; the solver hears all that is said. */
export function storyTellersTask(options: StoryTellersOptions): TeamTask {
  const { tokenizer, tellerTokens = 20, opening, heldOut = 200 } = options;
  return {
    ...tellerTeam("story-tellers", tellers, { ...options, tellerTokens }),
    tokenizer,
    ...storyProblems(
      "story-tellers",
      heldOut,
      (child, random) => {
        const holder = random.pick(tellers);
        return {
          id: `story-tellers:${child.name}/${child.thing}/${holder}`,
          question: child.thing,
          gold: child.name,
          views: Object.fromEntries(tellers.map((id) => [id, id === holder ? knownStory(child, opening) : idle])),
        };
      },
      options,
    ),
  };
}
