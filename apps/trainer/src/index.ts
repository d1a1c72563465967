/**
 * The configuration of a run in TypeScript; everything else is the command line `laconic`.
 * @module laconic
 */
export { defineRun } from "./door/define-run.ts";
export type {
  FileText,
  FileValue,
  NamedTask,
  Own,
  OwnTask,
  RunDefinition,
  TrainDefinition,
} from "./door/define-run.ts";
