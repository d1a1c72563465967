import type { TeamTask } from "../task.ts";
import { tellerProbes } from "./probes.ts";
import { cueOf, tellerProblems, tellers } from "./teller-problems.ts";
import { tellerDefaults, tellerTeam, type TellerOptions, type TellerSettings } from "./teller-team.ts";

/** Size of the world. A teller's sentence has at most 20 tokens by default, the solver's 12. */
export type StoryTellersOptions = TellerOptions;

/** Settings of a {@link storyTellersTask} whose options leave them out. */
export const storyTellersDefaults: TellerSettings = { ...tellerDefaults, tellerTokens: 20, solverTokens: 12 };

/**
 * Learned silence: of two to five tellers one, another one each time, knows whose the asked thing is. The others read of other
 * children, of other things, or of somebody who has not what is asked; the solver hears all that is said.
 */
export function storyTellersTask(options: StoryTellersOptions): TeamTask {
  const { tokenizer, tellerTokens, solverTokens, testProblems = 200 } = { ...storyTellersDefaults, ...options };
  return {
    ...tellerTeam("story-tellers", tellers, { ...options, tellerTokens, solverTokens }),
    tokenizer,
    ...tellerProblems(testProblems, options),
    probes: tellerProbes((view, { question }) => view.lastIndexOf(` ${cueOf(question)}`), tellers),
  };
}
