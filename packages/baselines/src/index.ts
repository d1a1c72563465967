/**
 * Published multi-agent methods over any language model.
 * @module @laconic/baselines
 */
export type { AnswerReader, Baseline, BaselineOptions, Exemplar } from "./baseline.ts";
export { baselineNamed, baselines } from "./registry.ts";
export { mostComplex } from "./methods/complex-cot.ts";
export { countVotes } from "./vote.ts";
export type { VoteClass } from "./vote.ts";
export { promptVersion } from "./prompts/chat.ts";
