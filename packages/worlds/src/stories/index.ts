/**
 * Story worlds: teams of a small language model that was trained on children's stories learn to be brief in English.
 * @module @laconic/worlds/stories
 */
export { things } from "./lexicon.ts";
export { copyingExamples, namedStories, ownDeeds, rehearsed } from "./copying.ts";
export { storyHintTask } from "./hint.ts";
export type { StoryHintOptions } from "./hint.ts";
export { storyRelayTask, asked as storyQuestion, storyTellersTask } from "./teller-team.ts";
export type { StoryRelayOptions, StoryTellersOptions } from "./teller-team.ts";
export { storyWritersTask } from "./writers.ts";
export type { StoryWritersOptions } from "./writers.ts";
export { budgetCeiling, obedience, storyBudgetTask, unseenBudgets } from "./budget.ts";
export type { StoryBudgetOptions } from "./budget.ts";
export { budgetFormNames } from "./budget-forms.ts";
export type { BudgetForm } from "./budget-forms.ts";
export { budgetExamples, budgetStories } from "./budget-examples.ts";
export type { BudgetExampleOptions, BudgetStory } from "./budget-examples.ts";
