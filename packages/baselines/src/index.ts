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
export { roleAssignmentProgram } from "./methods/role-assignment.ts";
export { learnMasks } from "./agent-prune/learn-masks.ts";
export type { LearnedMasks, LearnOptions } from "./agent-prune/learn-masks.ts";
export { pruneGraph } from "./agent-prune/edges.ts";
export type { EdgeSet, Logits, Mask } from "./agent-prune/edges.ts";
export { baselineNamed, baselines, scoringMethods } from "./registry.ts";
export { familyOf, holdersOf, slotOf } from "./protocols/protocol.ts";
export type { Family, Phase, Protocol, Role, Setting, Shots } from "./protocols/protocol.ts";
export { protocolFor, protocolName } from "./protocols/protocol-for.ts";
export { describeProtocol } from "./protocols/describe.ts";
export type { ProtocolText } from "./protocols/describe.ts";
export { scriptNameOf } from "./protocols/script.ts";
export type { Script } from "./protocols/script.ts";
export { departures, ownWords, replyCeiling } from "./protocols/describe.ts";
export type { Asked } from "./protocols/protocol-for.ts";
export { chooseShots } from "./protocols/choose-shots.ts";
export { promptVersion } from "./prompts/chat.ts";
