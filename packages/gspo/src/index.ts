/**
 * Policy-gradient objectives and advantages as pure functions: log-probs in, loss and gradient out.
 * @module @laconic/gspo
 */
export { gspo, gspoClip, gspoToken } from "./objectives/gspo.ts";
export type { GspoOptions } from "./objectives/gspo.ts";
export { grpo } from "./objectives/grpo.ts";
export type { GrpoOptions } from "./objectives/grpo.ts";
export { cispo, reinforce, sapo } from "./objectives/policy-gradients.ts";
export type { CispoOptions, SapoOptions } from "./objectives/policy-gradients.ts";
export { gmpo, luspo, magrpo, vespo } from "./objectives/gspo-relatives.ts";
export type { VespoOptions } from "./objectives/gspo-relatives.ts";
export type { CommonOptions } from "./objectives/assemble.ts";
export type { ClipRange } from "./objectives/clip-range.ts";
export type { TokenLevelOptions } from "./objectives/token-level.ts";
export type { Aggregation } from "./aggregation.ts";
export { klGradient, klValue } from "./kl.ts";
export type { KlEstimator, KlOptions } from "./kl.ts";
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
} from "./advantages/baselines.ts";
export type { ReinforcePlusPlusOptions, RunningBaselineState } from "./advantages/baselines.ts";
export { groupIndex } from "./grouping.ts";
export type { GroupKey } from "./grouping.ts";
export { unitIndex, withRatioUnits } from "./ratio-unit.ts";
export type { RatioUnit } from "./ratio-unit.ts";
