/**
 * Advantages from a critic that is trained together with the policy, instead of groups.
 * @module @laconic/gspo/critics
 */
export { gae, gaeEstimator } from "./gae.ts";
export { linearCritic } from "./linear-critic.ts";
export { modelCritic } from "./model-critic.ts";
export type { ModelCriticSettings, NamedModelCritic, ReadyModelCritic } from "./model-critic.ts";
export type { Critic, CriticView } from "./critic.ts";
