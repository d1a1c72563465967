/**
 * Files of a run folder and the form of its episodes, for writer, dashboard and `verify`.
 * @module @laconic/core/run-folder
 */
export { endsWhole, gzipMember, membersIn, type MemberHead, type ReadAt } from "./episode-members.ts";
export { benchFiles, gradingStepLimits } from "./bench-files.ts";
export type { CallsPlace, GradingStep, StoredCall, StoredCalls, StoredQuestion } from "./bench-files.ts";
export { packNumbers, unpackNumbers, type PackedNumbers } from "./packed-numbers.ts";
export { recordedEpisodes, type RecordedEpisode } from "./recorded-episode.ts";
export { recordVersion } from "./stored-step.ts";
export { runFileRules, runFiles, type RunFileRules } from "./run-files.ts";
export type {
  StoredContent,
  StoredEpisode,
  StoredEpisodes,
  StoredEvaluation,
  StoredNode,
  StoredPolicy,
  StoredRollout,
  StoredStep,
  StoredTerms,
  StoredTree,
  StoredUpdate,
  StoredUtterance,
} from "./stored-step.ts";
