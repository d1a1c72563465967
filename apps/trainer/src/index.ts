/**
 * Configuration of a run in TypeScript; everything else is the command `laconic`.
 * @module laconic
 */
export type { Board } from "@laconic/evaluation/bench";
export { defineRun } from "@laconic/runtime/define-run";
export type {
  FileText,
  FileValue,
  NamedTask,
  Own,
  OwnTask,
  RunDefinition,
  TaskChoice,
  TrainDefinition,
} from "@laconic/runtime/define-run";
