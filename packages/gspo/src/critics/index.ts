/**
 * Advantages from a critic that is trained together with the policy, instead of groups.
 * @module @laconic/gspo/critics
 */
export { gae, gaeEstimator } from "./gae.ts";
export { linearCritic } from "./linear-critic.ts";
export { modelCritic, type ModelCriticSettings, type NamedModelCritic, type ReadyModelCritic } from "./model-critic.ts";
export type { Critic, CriticView } from "./critic.ts";
