/**
 * Published multi-agent methods over any language model.
 * @module @laconic/baselines
 */
export type {
  AnswerReader,
  Baseline,
  BaselineOptions,
  Calibration,
  Exemplar,
  PromptCopies,
  RunProgram,
} from "./protocols/baseline.ts";
export { debateProgram } from "./methods/llm-debate.ts";
export { criticTemplates, hintTemplates, type PairTemplates } from "./methods/untrained.ts";
export { roleAssignmentProgram } from "./methods/role-assignment.ts";
export { learnMasks, type LearnedMasks, type LearnOptions } from "./agent-prune/learn-masks.ts";
export { pruneGraph, type EdgeSet, type Logits, type Mask } from "./agent-prune/edges.ts";
export { baselineNamed, baselines, scoringMethods } from "./registry.ts";
export { familyOf, holdersOf, slotOf } from "./protocols/protocol.ts";
export type { Family, Phase, Protocol, Role, Setting, Shots } from "./protocols/protocol.ts";
export { protocolFor, protocolName, type Asked } from "./protocols/protocol-for.ts";
export { describeProtocol, departures, ownWords, replyCeiling, type ProtocolText } from "./protocols/describe.ts";
export { scriptNameOf, type Script } from "./protocols/script.ts";
export { chooseShots } from "./protocols/choose-shots.ts";
export { promptVersion } from "./prompts/chat.ts";
