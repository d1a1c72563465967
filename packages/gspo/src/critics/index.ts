/**
 * Advantages by a critic that learns beside the policy, in place of groups.
 * @module @laconic/gspo/critics
 */
export { gae, gaeEstimator } from "./gae.ts";
export { linearCritic } from "./linear-critic.ts";
export { modelCritic } from "./model-critic.ts";
export type { ModelCriticSettings, NamedModelCritic, ReadyModelCritic } from "./model-critic.ts";
export type { Critic, CriticView } from "./critic.ts";
