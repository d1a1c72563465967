import { LaconicError, nearestName } from "@laconic/core";
import { agentPrune, agentPruneReleased } from "./agent-prune/agent-prune.ts";
import type { Baseline } from "./protocols/baseline.ts";
import { complexCot, complexCotSampled } from "./methods/complex-cot.ts";
import { cot } from "./methods/cot.ts";
import { untrainedCritic } from "./methods/critic.ts";
import { dylan, dylanSelect } from "./dylan/dylan.ts";
import { equalThought } from "./methods/equal-thought.ts";
import { equalVotes } from "./methods/equal-votes.ts";
import { evoAgent } from "./methods/evo-agent.ts";
import { untrainedHint } from "./methods/hint.ts";
import { llmDebate } from "./methods/llm-debate.ts";
import { mad } from "./methods/mad.ts";
import { php } from "./methods/php.ts";
import { roleAssignment } from "./methods/role-assignment.ts";
import { selfConsistency, selfConsistency40 } from "./methods/self-consistency.ts";
import { selfRefine } from "./methods/self-refine.ts";
import { vanillaDirect } from "./methods/vanilla-direct.ts";
import { vanilla, vanillaFewShot } from "./methods/vanilla.ts";

/** All methods, in the order of the papers' tables; behind a colon the preset of one that papers play in several ways. */
export const baselines: readonly Baseline[] = [
  vanilla,
  vanillaFewShot,
  vanillaDirect,
  cot,
  complexCot,
  complexCotSampled,
  selfConsistency,
  selfConsistency40,
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

/** @throws LaconicError `config_invalid` naming the known ones */
export function baselineNamed(name: string): Baseline {
  const found = baselines.find((each) => each.name === name);
  if (found) return found;
  const known = baselines.map((each) => each.name);
  const near = nearestName(name, known);
  throw new LaconicError(
    "config_invalid",
    `there is no method ${name}; ${near === undefined ? "" : `did you mean ${near}? `}known: ${known.join(", ")}`,
    { method: name },
  );
}
