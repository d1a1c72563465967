import { configError, nameHint, randomFromSeed, refuseSetting, type Objective } from "@laconic/core";
import { checkValue } from "@laconic/core/checks";
import type { OpponentSettings, TrainConfig } from "../settings/config.ts";
import { sharesReward } from "../settings/named.ts";
import { checkTrainingParts, type PartsOutline } from "./parts.ts";
import { lacksOfProblems, problemSource } from "./problem-source.ts";
import { learningOf, needsGreedy, policyNeedsOf, type LearningOutline } from "./learning.ts";

/**
 * Rejects the same inputs as `runSpec` before anything is created. Needs no weights, and problems only if available.
 * @throws LaconicError `input_invalid` for parts, `config_invalid` for settings that do not fit
 */
export function checkTraining(parts: PartsOutline, config: TrainConfig): void {
  const learning = learningOf(parts, config);
  checkPlayed(parts, learning);
  const { name, problems, pool, testProblems } = parts.task;
  for (const [key, list] of Object.entries({ pool, testProblems }))
    if (list)
      checkValue({ name: `the task ${name}: ${key}`, value: "task" }, list, (input) => lacksOfProblems(input as []));
  if (problems && !parts.source)
    problemSource({ name, problems, ...(pool && { pool }) }, config, randomFromSeed(config.seed), learning.curriculum);
}

/** Like `checkTraining`, but without drawing a problem. */
export function checkPlayed(parts: PartsOutline, learning: LearningOutline): void {
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
      refuseSetting(
        "objective",
        `${objective.name} takes one advantage per sequence, but the estimator ${estimator.name} gives one per token; use gspo-token or a token objective`,
      );
    if (config.weightBy === "turn" && groupBy !== "prompt+agent" && grouping === null)
      refuseSetting(
        "weightBy",
        `turn has no effect with groupBy ${groupBy}, where an episode is in a group once; use prompt+agent`,
      );
    if (estimator.needs?.includes("agents") && !groupBy.includes("agent"))
      refuseSetting(
        "groupBy",
        `the estimator ${estimator.name} tells agents apart; group by prompt+agent or prompt+agent+turn`,
      );
  }
}

function checkValues({ source, task }: PartsOutline, { config, curriculum, learners }: LearningOutline): void {
  const { asynchronous, sampling, ratioUnit, tree } = config;
  const isScheduled = typeof sampling.temperature !== "number";
  if (curriculum && asynchronous)
    refuseSetting("asynchronous", "plays problems before the curriculum has their results");
  if (curriculum && source) refuseSetting("curriculum", "has no effect: episodes come from outside");
  if (isScheduled && asynchronous)
    refuseSetting(
      "asynchronous",
      "plays episodes of several steps at once, but a schedule sets the temperature per step",
    );
  if (isScheduled && source) refuseSetting("sampling.temperature", "has no effect: episodes come from outside");
  if (tree && !task.game) refuseSetting("tree", `the task ${task.name} is not played in synchronous turns`);
  if (learners.every(({ grouping }) => grouping === null)) return;
  if (ratioUnit === "trajectory" || ratioUnit === "joint")
    refuseSetting(
      "ratioUnit",
      `${ratioUnit} joins messages that a grouping function may give different advantages; use message or turn`,
    );
  if (tree) refuseSetting("tree", "a tree groups by its nodes, so a grouping function has no effect");
}

export function checkExamples({ policies }: PartsOutline, { config: { supervised } }: LearningOutline): void {
  const has = Object.values(policies).some(({ examples }) => examples !== undefined);
  if (has === (supervised !== null)) return;
  if (has) refuseSetting("supervised", "null leaves the examples of the policies unused; set it, or remove them");
  const message = "supervised.examples: no examples; give a file, a list or a function, or set supervised to null";
  throw configError(message, { key: "supervised" });
}

function checkGroupReward({ config, groupReward, learners }: LearningOutline): void {
  if (groupReward === null) return;
  const apart = (key: string, reason: string): never =>
    refuseSetting(key, `${reason}, so it cannot go with a group reward`);
  if (config.tree) apart("tree", "judges each joint reply at once");
  if (!sharesReward(config)) apart("credit", "judges episodes again, without their group");
  if (needsGreedy(learners)) apart("advantage", "the estimator compares with a greedy episode, which has no group");
}

function checkSource({ source, task }: PartsOutline, { config, learners }: LearningOutline): void {
  if (source === undefined) return;
  const elsewhere = (key: string, reason: string): never =>
    refuseSetting(key, `${reason}, and episodes come from outside`);
  if (config.tree) elsewhere("tree", "a tree is played turn by turn here");
  if (!sharesReward(config)) elsewhere("credit", "plays episodes again");
  if (config.problemPool !== null) elsewhere("problemPool", "problems are drawn from it here");
  if (Object.keys(config.limits).length > 0) elsewhere("limits", "they end episodes that are played here");
  if (needsGreedy(learners)) elsewhere("advantage", "the estimator needs a greedy episode of each problem");
  if (config.earlyStopping && (task.testProblems ?? []).length === 0)
    elsewhere("earlyStopping", "no validation problems");
}

function checkOpponents(parts: PartsOutline, { config, costs, learners }: LearningOutline): void {
  const { opponents: settings } = config;
  if (!settings) {
    if (Object.keys(parts.opponents ?? {}).length > 0)
      refuseSetting("opponents", "other runs are opened but never play; set opponents.sides");
    return;
  }
  if (config.asynchronous)
    refuseSetting("asynchronous", "plays games before the results for drawing opponents exist; use null");
  if (config.tree)
    refuseSetting("tree", "plays each reply on every branch, so an opponent's would be trained on; use null");
  if (parts.source) refuseSetting("opponents", "has no effect: episodes come from outside");
  if (settings.draw === "episode" && needsGreedy(learners))
    refuseSetting("opponents.draw", "the estimator compares with one greedy episode of the problem; use group");
  checkSides(parts, settings);
  checkPool(parts, settings);
  for (const cost of settings.priced)
    if (!Object.hasOwn(costs, cost))
      refuseSetting("opponents.priced", `unknown cost "${cost}"; use one of: ${Object.keys(costs).join(", ")}`);
}

function checkSides({ task, policies }: PartsOutline, { sides, latest }: OpponentSettings): void {
  const key = "opponents.sides";
  const trained = Object.values(policies).flatMap(({ agents }) => agents);
  const seen = new Set<string>();
  for (const agent of sides.flat()) {
    if (!task.topology.agents.includes(agent))
      refuseSetting(key, `the team has no agent "${agent}"; it has ${task.topology.agents.join(", ")}`);
    if (!trained.includes(agent)) refuseSetting(key, `the agent "${agent}" does not learn, so it has no past selves`);
    if (seen.has(agent)) refuseSetting(key, `the agent "${agent}" is named twice; an agent is on one side`);
    seen.add(agent);
  }
  for (const side of sides)
    if (trained.every((agent) => side.includes(agent)))
      refuseSetting(key, `the side ${side.join(", ")} is all who learn; name one side of the game`);
  const [only, ...others] = sides;
  if (latest > 0 || only === undefined || others.length > 0) return;
  for (const [name, { agents }] of Object.entries(policies))
    if (agents.every((agent) => only.includes(agent)))
      refuseSetting(
        "opponents.latest",
        `is 0 and opponents always play ${only.join(", ")}: the policy ${name} would never learn; name another side, or set latest above 0`,
      );
}

function checkPool(parts: PartsOutline, { runs, against }: OpponentSettings): void {
  const opened = Object.keys(parts.opponents ?? {});
  const twice = runs.find((name, i) => runs.indexOf(name) !== i);
  if (twice !== undefined) refuseSetting("opponents.runs", `${twice} is named twice`);
  for (const name of runs) {
    if (/^step-\d+$/u.test(name) || name === "pool")
      refuseSetting("opponents.runs", `${name} is a reserved name; name the run by its path`);
    if (!opened.includes(name)) refuseSetting("opponents.runs", `the run ${name} is not part of this training`);
  }
  for (const name of opened)
    if (!runs.includes(name)) refuseSetting("opponents.runs", `the run ${name} is opened but not named here`);
  for (const name of against)
    if (name !== "pool" && !runs.includes(name))
      refuseSetting("opponents.against", `"${name}" not found: name runs of opponents.runs, or pool for all opponents`);
}

/** @throws LaconicError `config_invalid` for a missing policy, an unused teacher, or one with a policy's name */
function checkPolicyNeeds(
  { policies, teachers = {} }: Pick<PartsOutline, "policies" | "teachers">,
  objectives: readonly Objective[],
): void {
  const twice = Object.keys(teachers).find((name) => Object.hasOwn(policies, name));
  if (twice !== undefined) refuseSetting(`teachers.${twice}`, "a policy has this name; choose another");
  const needed = policyNeedsOf(objectives).map(({ policy }) => policy);
  const idle = Object.keys(teachers).find((name) => !needed.includes(name));
  if (idle !== undefined)
    refuseSetting(`teachers.${idle}`, "no objective uses it; name it in objective.kl.to, or remove it");
  const knownNames = [...Object.keys(policies), ...Object.keys(teachers)];
  for (const objective of objectives)
    for (const { policy } of policyNeedsOf([objective])) {
      if (knownNames.includes(policy)) continue;
      const message = `the objective ${objective.name} needs the unknown policy "${policy}"; ${nameHint(policy, knownNames)}`;
      throw configError(message, { value: "objective", policy });
    }
}
