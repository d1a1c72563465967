/**
 * Story tellers: a small story model learns to be brief.
 * @module @laconic/tasks/stories
 */
export { heldNames, knownNames, nameLengths, things, type HeldSplit, type NameLength } from "./lexicon.ts";
export { holderTemplates, idleFamilies, type FamilySplit, type IdleCast } from "./families.ts";
export { cueOf } from "./teller-problems.ts";
export { asked as storyQuestion, storyTellersDefaults, storyTellersTask, type TellerOptions } from "./teller-team.ts";
