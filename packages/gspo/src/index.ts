/**
 * Policy-gradient objectives and advantages as pure functions.
 * @module @laconic/gspo
 */
export { gspo, gspoClip, gspoToken, type GspoOptions } from "./objectives/gspo.ts";
export { grpo, type GrpoOptions } from "./objectives/grpo.ts";
export { cispo, reinforce, sapo, type CispoOptions, type SapoOptions } from "./objectives/policy-gradients.ts";
export { gmpo, luspo, magrpo, vespo, type VespoOptions } from "./objectives/gspo-relatives.ts";
export type { CommonOptions } from "./objectives/assemble.ts";
export type { ClipRange } from "./objectives/clip-range.ts";
export type { TokenLevelOptions } from "./objectives/token-level.ts";
export type { Aggregation } from "./aggregation.ts";
export { klGradient, klValue, type KlEstimator, type KlOptions } from "./kl.ts";
export type { ImportanceOptions } from "./importance.ts";
export { withImportance, withKl, withOffPolicyMask } from "./corrections.ts";
export { groupAdvantageConventions, groupAdvantages } from "./advantages/group-advantage.ts";
export type { GroupAdvantageOptions } from "./advantages/group-advantage.ts";
export type { AdvantageResult } from "./advantages/groups.ts";
export { isWorthExpanding, jointReplies, jointTreeAdvantages } from "./advantages/joint-tree.ts";
export type { JointAction, JointNode, ReplyCredit } from "./advantages/joint-tree.ts";
export {
  bnpo,
  gpg,
  maremax,
  maxRl,
  opo,
  passAtK,
  rawRewards,
  remax,
  rloo,
  reinforcePlusPlus,
  runningBaseline,
  type ReinforcePlusPlusOptions,
  type RunningBaselineState,
} from "./advantages/baselines.ts";
export { groupIndex, type GroupKey } from "./grouping.ts";
export { unitIndex, withRatioUnits, type RatioUnit } from "./ratio-unit.ts";
