import { configError, nameHint } from "@laconic/core";
import { agentPrune, agentPruneReleased } from "./agent-prune/agent-prune.ts";
import type { Baseline } from "./protocols/baseline.ts";
import { untrainedCritic, untrainedHint } from "./methods/untrained.ts";
import { dylan, dylanSelect } from "./dylan/dylan.ts";
import { equalThought, equalVotes } from "./methods/equal-tokens.ts";
import { evoAgent } from "./methods/evo-agent.ts";
import { logLikelihoods } from "./methods/log-likelihood.ts";
import { llmDebate } from "./methods/llm-debate.ts";
import { mad } from "./methods/mad.ts";
import { php } from "./methods/php.ts";
import { roleAssignment } from "./methods/role-assignment.ts";
import { selfRefine } from "./methods/self-refine.ts";
import {
  complexCot,
  complexCotSampled,
  complexCotVotes,
  cot,
  selfConsistency,
  selfConsistency40,
  vanilla,
  vanillaFewShot,
} from "./methods/single-replies.ts";
import { vanillaDirect } from "./methods/vanilla-direct.ts";

/** All methods in the papers' order; a suffix after a colon names a variant. */
export const baselines: readonly Baseline[] = [
  vanilla,
  vanillaFewShot,
  vanillaDirect,
  cot,
  complexCot,
  complexCotSampled,
  selfConsistency,
  selfConsistency40,
  complexCotVotes,
  php,
  llmDebate,
  dylan,
  dylanSelect,
  agentPrune("complete"),
  agentPrune("layered"),
  agentPrune("random"),
  agentPruneReleased,
  mad,
  selfRefine,
  evoAgent,
  roleAssignment,
  untrainedHint,
  untrainedCritic,
  equalVotes,
  equalThought,
];

/** Methods that score options by log-likelihood. Not in `all`: they need options. */
export const scoringMethods: readonly Baseline[] = logLikelihoods;

/** @throws LaconicError `config_invalid`, listing the known methods */
export function baselineNamed(name: string): Baseline {
  const all = [...baselines, ...scoringMethods];
  const baseline = all.find((item) => item.name === name);
  if (baseline) return baseline;
  const hint = nameHint(
    name,
    all.map((item) => item.name),
  );
  throw configError(`method ${name} not found; ${hint}`, { method: name });
}
