import { createContext } from "preact";
import type { LevelName } from "./worker/settings.ts";

export const Level = createContext<LevelName>("relay");

/** `shown` is the source of the numbers in the picture. */
export const levelTexts = {
  relay: {
    tab: "1. Digits",
    title: "Watch a team learn to say less",
    about:
      "Three holders know one digit each. The solver adds two of the digits and reads only the holders' messages. Every token has a price. Training in this tab teaches the team which words are worth it.",
    before: "The team before training",
    shown: "tokens per episode",
    untrained: "Untrained",
    stillUntrained: "Now, still untrained",
    budget: "A team that is always right needs at least 7.3 tokens.",
  },
  tellers: {
    tab: "2. Stories",
    title: "Watch storytellers learn when to be silent",
    about:
      "Each teller reads a story. One story names the owner of a thing. The solver reads only the tellers' messages and names the owner. Idle words cost tokens and mislead the solver, so training teaches the other tellers to be silent.",
    before: "The tellers before training",
    shown: "one test problem, the same at every step",
    untrained: "After the warm start",
    stillUntrained: "Now, not trained yet",
    budget: "Naming the owner takes about 14 tokens.",
  },
} as const satisfies Record<LevelName, Record<string, string>>;
