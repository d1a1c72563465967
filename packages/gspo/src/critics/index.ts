/**
 * Advantages from a critic that is trained with the policy.
 * @module @laconic/gspo/critics
 */
export { gae, gaeEstimator } from "./gae.ts";
export { linearCritic } from "./linear-critic.ts";
export { modelCritic, type ModelCriticSettings, type NamedModelCritic, type ReadyModelCritic } from "./model-critic.ts";
export type { Critic, CriticView } from "./critic.ts";
