/**
 * Test doubles and conformance suites, free of any test runner.
 * @module @laconic/core/testing
 */
export { expectThat, type ConformanceCase } from "./conformance.ts";
export { actingSampling, expectRefusedSampling } from "./sampling-cases.ts";
export { languageModelCases } from "./language-model-cases.ts";
export { recordedReplies, type RecordedReply } from "./recorded-replies.ts";
export { scriptedModel, type Script, type ScriptedReply } from "./scripted-model.ts";
export { scriptedEpisode, type ScriptedTurn } from "./scripted-episode.ts";
export { tableTokenizer } from "./table-tokenizer.ts";
