import { LaconicError, randomFromSeed } from "@laconic/core";
import { checkValue } from "@laconic/core/checks";
import type { TrainConfig } from "./config.ts";
import { checkGroupReward } from "../group-scorer.ts";
import { checkOwnRules } from "./check-own-rules.ts";
import { checkOpponents } from "../opponents/check-opponents.ts";
import { checkTrainingParts, type PartsOutline } from "../parts.ts";
import { lacksOfProblems, problemSource } from "../problem-source.ts";
import { checkSource } from "../stages/next-batch.ts";
import { learnerSettings } from "../stages/learner.ts";
import { checkPolicyNeeds } from "../stages/policy-needs.ts";
import { checkTreeTask } from "../stages/tree-rollout.ts";

/**
 * Refuses what `train` would, before anything is created. It needs no weights, and problems only where they are at hand.
 * @throws LaconicError `input_invalid` for parts that do not fit together, `config_invalid` for settings that do not fit
 * them.
 */
export function checkTraining(parts: PartsOutline, config: TrainConfig): void {
  checkFit(parts, config);
  const { name, problems, pool, testProblems } = parts.task;
  for (const [key, list] of Object.entries({ pool, testProblems }))
    if (list)
      checkValue({ name: `the task ${name}: ${key}`, value: "task" }, list, (given) => lacksOfProblems(given as []));
  if (problems && !parts.source)
    problemSource({ name, problems, ...(pool && { pool }) }, config, randomFromSeed(config.seed), parts.curriculum);
}

/** The same without drawing a problem. */
export function checkFit(parts: PartsOutline, config: TrainConfig): void {
  checkTrainingParts(parts);
  checkTreeTask(parts, config);
  const learners = Object.values(learnerSettings(parts, config));
  checkSource(parts, config, learners);
  checkPolicyNeeds(
    parts,
    learners.map(({ objective }) => objective),
  );
  checkGroupReward(parts, config, learners);
  checkGrouping(parts, config);
  checkOwnRules(parts, config);
  checkOpponents(parts, config, learners);
  for (const { estimator, objective, config: own } of learners) {
    if (estimator.advantagePer === "token" && objective.advantagePer === "sequence")
      throw new LaconicError(
        "config_invalid",
        `objective: ${objective.name} takes one advantage per sequence, and the estimator ${estimator.name} gives one per token; take gspo-token or an objective by tokens`,
        { key: "objective" },
      );
    if (own.weightBy === "turn" && own.groupBy !== "prompt+agent" && !parts.grouping)
      throw new LaconicError(
        "config_invalid",
        `weightBy: turn has no effect with groupBy ${own.groupBy}, where an episode is in a group once; use prompt+agent`,
        { key: "weightBy" },
      );
    if (estimator.needs?.includes("agents") && !own.groupBy.includes("agent"))
      throw new LaconicError(
        "config_invalid",
        `groupBy: the estimator ${estimator.name} tells agents apart; group by prompt+agent or prompt+agent+turn`,
        { key: "groupBy" },
      );
  }
}

/** @throws LaconicError `config_invalid` for settings that share a ratio or a return between utterances of several groups */
function checkGrouping({ grouping }: PartsOutline, { ratioUnit, tree }: TrainConfig): void {
  if (grouping === undefined) return;
  if (ratioUnit === "trajectory" || ratioUnit === "joint")
    throw new LaconicError(
      "config_invalid",
      `ratioUnit: ${ratioUnit} joins messages that a grouping of your own may give different advantages; use message or turn`,
      { key: "ratioUnit" },
    );
  if (tree)
    throw new LaconicError(
      "config_invalid",
      "tree: a tree groups by its nodes, so a grouping of your own has no effect",
      {
        key: "tree",
      },
    );
}
