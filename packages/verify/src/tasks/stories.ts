import type { World } from "./world.ts";

/** The first run of letters in the solver's answer is the name. */
export const storyNames = (): World => ({
  answerer: "solver",
  grade: ({ answer }, { gold }) => ((answer ?? "").match(/[a-zA-Z]+/u)?.[0] === gold ? 1 : 0),
});

/** Somebody begins to speak: a quotation mark and a capital. */
export const storyHint = (): World => ({
  answerer: "actor",
  grade: ({ answer }) => (/"[A-Z]/u.test(answer ?? "") ? 1 : 0),
});

/** How near the tokens of the reply are to the budget. */
export const storyBudget = (): World => ({
  answerer: "writer",
  grade: ({ ledger: { calls } }, { gold }) =>
    Math.max(0, 1 - Math.abs((calls[0]?.writtenTokens ?? 0) - Number(gold)) / Number(gold)),
});
