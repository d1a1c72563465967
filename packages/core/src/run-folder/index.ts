/**
 * What a run folder holds: the names of its files, and the form of its records. Writer, dashboard and audit share it.
 * @module @laconic/core/run-folder
 */
export { base64, fromBase64, packNumbers, unpackNumbers } from "./packed-numbers.ts";
export type { PackedNumbers } from "./packed-numbers.ts";
export { formerRunFiles, runFiles } from "./run-files.ts";
export { recordVersion } from "./stored-step.ts";
export type {
  StoredContent,
  StoredEpisode,
  StoredEpisodes,
  StoredEvaluation,
  StoredNode,
  StoredPolicy,
  StoredRecord,
  StoredRollout,
  StoredScore,
  StoredStep,
  StoredTerms,
  StoredTranscript,
  StoredTree,
  StoredUpdate,
  StoredUtterance,
} from "./stored-step.ts";
