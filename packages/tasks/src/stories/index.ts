/**
 * Story worlds: small story models learn to be brief.
 * @module @laconic/tasks/stories
 */
export { heldNames, knownNames, nameLengths, things } from "./lexicon.ts";
export type { HeldSplit, NameLength } from "./lexicon.ts";
export { holderTemplates, idleFamilies } from "./families.ts";
export type { FamilySplit, IdleCast } from "./families.ts";
export { cueOf } from "./teller-problems.ts";
export { asked as storyQuestion, storyRelayTask, storyTellersDefaults, storyTellersTask } from "./teller-team.ts";
export type { TellerOptions } from "./teller-team.ts";
export { storyHintTask } from "./hint.ts";
export type { StoryHintOptions } from "./hint.ts";
export { storyWritersTask } from "./writers.ts";
export type { StoryWritersOptions } from "./writers.ts";
export { budgetCeiling, budgetFormNames, obedience, storyBudgetTask, unseenBudgets } from "./budget.ts";
export type { BudgetForm, StoryBudgetOptions } from "./budget.ts";
