import { LaconicError, randomFromSeed } from "@laconic/core";
import { checkValue } from "@laconic/core/checks";
import type { TrainConfig } from "../settings/config.ts";
import { checkExamples, checkGroupReward, checkSource, checkValues, checkOpponents } from "./check-values.ts";
import { checkTrainingParts, type PartsOutline } from "./parts.ts";
import { checkPolicyNeeds } from "./policy-needs.ts";
import { lacksOfProblems, problemSource } from "./problem-source.ts";
import { learningOf, type LearningOutline } from "./learning.ts";

/**
 * Refuses what `runSpec` would, before anything is created. It needs no weights, and problems only where they are at hand.
 * @throws LaconicError `input_invalid` for parts that do not fit together, `config_invalid` for settings that do not fit
 * them.
 */
export function checkTraining(parts: PartsOutline, config: TrainConfig): void {
  const learning = learningOf(parts, config);
  checkPlayed(parts, learning);
  const { name, problems, pool, testProblems } = parts.task;
  for (const [key, list] of Object.entries({ pool, testProblems }))
    if (list)
      checkValue({ name: `the task ${name}: ${key}`, value: "task" }, list, (given) => lacksOfProblems(given as []));
  if (problems && !parts.source)
    problemSource({ name, problems, ...(pool && { pool }) }, config, randomFromSeed(config.seed), learning.curriculum);
}

/** The same without drawing a problem, and with the examples of the policies. */
export function checkFit(parts: PartsOutline, learning: LearningOutline): void {
  checkPlayed(parts, learning);
  checkExamples(parts, learning);
}

function checkPlayed(parts: PartsOutline, learning: LearningOutline): void {
  const { learners } = learning;
  checkTrainingParts(parts);
  checkSource(parts, learning);
  checkPolicyNeeds(
    parts,
    learners.map(({ objective }) => objective),
  );
  checkGroupReward(learning);
  checkValues(parts, learning);
  checkOpponents(parts, learning);
  for (const { estimator, objective, config, groupBy, grouping } of learners) {
    if (estimator.advantagePer === "token" && objective.advantagePer === "sequence")
      throw new LaconicError(
        "config_invalid",
        `objective: ${objective.name} takes one advantage per sequence, and the estimator ${estimator.name} gives one per token; take gspo-token or an objective by tokens`,
        { key: "objective" },
      );
    if (config.weightBy === "turn" && groupBy !== "prompt+agent" && grouping === null)
      throw new LaconicError(
        "config_invalid",
        `weightBy: turn has no effect with groupBy ${groupBy}, where an episode is in a group once; use prompt+agent`,
        { key: "weightBy" },
      );
    if (estimator.needs?.includes("agents") && !groupBy.includes("agent"))
      throw new LaconicError(
        "config_invalid",
        `groupBy: the estimator ${estimator.name} tells agents apart; group by prompt+agent or prompt+agent+turn`,
        { key: "groupBy" },
      );
  }
}
