/**
 * Story worlds: teams of a small language model that was trained on children's stories learn to be brief in English.
 * @module @laconic/tasks/stories
 */
export { heldNames, knownNames, nameLengths, things } from "./lexicon.ts";
export type { HeldSplit, NameLength } from "./lexicon.ts";
export { holderTemplates, idleFamilies } from "./families.ts";
export type { FamilySplit, IdleCast } from "./families.ts";
export { cueOf } from "./teller-problems.ts";
export { storyHintTask } from "./hint.ts";
export type { StoryHintOptions } from "./hint.ts";
export { storyRelayTask, asked as storyQuestion } from "./teller-team.ts";
export type { StoryRelayOptions } from "./teller-team.ts";
export { storyTellersDefaults, storyTellersTask } from "./tellers.ts";
export type { StoryTellersOptions } from "./tellers.ts";
export { storyWritersTask } from "./writers.ts";
export type { StoryWritersOptions } from "./writers.ts";
export { budgetCeiling, obedience, storyBudgetTask, unseenBudgets } from "./budget.ts";
export type { StoryBudgetOptions } from "./budget.ts";
export { budgetFormNames } from "./budget-forms.ts";
export type { BudgetForm } from "./budget-forms.ts";
