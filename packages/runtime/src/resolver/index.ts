/**
 * Configurations and the values they refer to.
 * @module @laconic/runtime/resolver
 */
export { loadConfig } from "./load-config.ts";
export type { WrittenConfig } from "./load-config.ts";
export { forgetModules } from "./load-source.ts";
export { presetConfig, presetNames } from "./load-config.ts";
export {
  isModuleText,
  isReference,
  partsOfFileText,
  referencePlace,
  referenceTitle,
  referencesAt,
} from "./reference.ts";
export type { Reference } from "./reference.ts";
export { referenced } from "./reference.ts";
export { checkProbeProblems, probeProblems } from "./open-train.ts";
export { resolveReference } from "./load-source.ts";
export { checkSources, fromFolder } from "./run-sources.ts";
export { openTrain } from "./open-train.ts";
export { withSource } from "./open-train.ts";
