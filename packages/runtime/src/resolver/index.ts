/**
 * Configurations and the values they refer to.
 * @module @laconic/runtime/resolver
 */
export { loadConfig, presetConfig, presetNames, type WrittenConfig } from "./load-config.ts";
export { forgetModules, loadSource, resolveReference } from "./load-source.ts";
export { checkProbeProblems, openTrain, probeProblems, withSource } from "./open-train.ts";
export { isModuleText, isReference, partsOfFileText, referenced, referenceTitle } from "./reference.ts";
