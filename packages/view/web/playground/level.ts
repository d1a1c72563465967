import { createContext } from "preact";
import type { LevelName } from "./worker/settings.ts";

export const Level = createContext<LevelName>("relay");

interface LevelTexts {
  readonly tab: string;
  readonly title: string;
  readonly about: string;
  /** Text before the first step. */
  readonly before: string;
  /** Titles of an untrained conversation next to another. */
  readonly untrained: string;
  readonly stillUntrained: string;
  readonly budget: string;
}

export const levelTexts: Readonly<Record<LevelName, LevelTexts>> = {
  relay: {
    tab: "1. Digits",
    title: "Watch a team learn to say less",
    about:
      "Three holders know one digit each. A solver, who knows none, is asked for the sum of two of them and reads only the holders' messages. Every token costs a little, so the team learns, here in this tab, what is not worth writing.",
    before: "The team before training",
    untrained: "Untrained",
    stillUntrained: "Now, still untrained",
    budget: "A team that is always right needs at least 7.3 tokens.",
  },
  tellers: {
    tab: "2. Stories",
    title: "Watch storytellers learn when to be silent",
    about:
      "Each teller reads a story, and one of the stories tells whose a thing is. A solver, who read none, hears all that they say and has to name the owner. Nobody is told to be silent: whoever has nothing to say learns it, because idle words cost a little and lead the solver astray.",
    before: "The tellers before training",
    untrained: "After the warm start",
    stillUntrained: "Now, not trained yet",
    budget: "Naming the owner takes about 14.",
  },
};
