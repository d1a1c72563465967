/**
 * Objectives and estimators by name, with the shapes of their options.
 * @module @laconic/gspo/presets
 */
export { objectiveNames, objectivePreset, objectiveShape, objectiveWarnings } from "./objectives.ts";
export type { ObjectiveName } from "./objectives.ts";
export type { ObjectiveOptions } from "./objective-options.ts";
export { estimatorNames, estimatorPreset, estimatorShape } from "./estimators.ts";
export type { EstimatorName, EstimatorOptions } from "./estimators.ts";
