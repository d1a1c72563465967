/**
 * Story worlds: small story models learn to be brief.
 * @module @laconic/tasks/stories
 */
export { heldNames, knownNames, nameLengths, things, type HeldSplit, type NameLength } from "./lexicon.ts";
export { holderTemplates, idleFamilies, type FamilySplit, type IdleCast } from "./families.ts";
export { cueOf } from "./teller-problems.ts";
export { asked as storyQuestion, storyRelayTask, storyTellersDefaults, storyTellersTask } from "./teller-team.ts";
export type { TellerOptions } from "./teller-team.ts";
export { storyHintTask, type StoryHintOptions } from "./hint.ts";
export { storyWritersTask, type StoryWritersOptions } from "./writers.ts";
export { budgetCeiling, budgetFormNames, obedience, storyBudgetTask, unseenBudgets } from "./budget.ts";
export type { BudgetForm, StoryBudgetOptions } from "./budget.ts";
