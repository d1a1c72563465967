import { LaconicError } from "@laconic/core";
import type { PartsOutline } from "./parts.ts";
import type { LearningOutline } from "./learning.ts";

/**
 * Refuses settings that have no effect beside a value, or that a value cannot keep to.
 * @throws LaconicError `config_invalid` naming the key
 */
export function checkValues({ source, task }: PartsOutline, { config, curriculum, learners }: LearningOutline): void {
  const refuse = (key: string, reason: string): never => {
    throw new LaconicError("config_invalid", `${key}: ${reason}`, { key });
  };
  const { asynchronous, sampling, ratioUnit, tree } = config;
  const isScheduled = typeof sampling.temperature !== "number";
  if (curriculum && asynchronous)
    refuse("asynchronous", "plays problems before the results are there that a curriculum chooses by");
  if (curriculum && source) refuse("curriculum", "has no effect: episodes are played elsewhere");
  if (isScheduled && asynchronous)
    refuse("asynchronous", "plays episodes of several steps at a time, and a schedule gives each its own temperature");
  if (isScheduled && source) refuse("sampling.temperature", "has no effect: episodes are played elsewhere");
  if (tree && !task.game) refuse("tree", `the task ${task.name} is not played in synchronous turns`);
  if (learners.every(({ grouping }) => grouping === null)) return;
  if (ratioUnit === "trajectory" || ratioUnit === "joint")
    refuse(
      "ratioUnit",
      `${ratioUnit} joins messages that a grouping function may give different advantages; use message or turn`,
    );
  if (tree) refuse("tree", "a tree groups by its nodes, so a grouping function has no effect");
}

/** @throws LaconicError `config_invalid` for settings without examples, and examples without settings */
export function checkExamples({ policies }: PartsOutline, { config: { supervised } }: LearningOutline): void {
  const has = Object.values(policies).some(({ examples }) => examples !== undefined);
  if (has === (supervised !== null)) return;
  throw new LaconicError(
    "config_invalid",
    has
      ? "supervised: null leaves the examples of the policies unused; set it, or remove them"
      : "supervised.examples: there are none to learn; name a file, a list or a function, or set supervised to null",
    { key: "supervised" },
  );
}

/** @throws LaconicError `config_invalid` for settings that judge episodes apart from their group */
export function checkGroupReward({ config: { tree, credit }, groupReward, learners }: LearningOutline): void {
  if (groupReward === null) return;
  const refuse = (key: string, reason: string): never => {
    throw new LaconicError("config_invalid", `${key}: ${reason}, so it cannot go with a group reward`, { key });
  };
  if (tree) refuse("tree", "judges each joint reply as it comes");
  if (credit.kind !== "shared") refuse("credit", `${credit.kind} judges episodes again, without their group`);
  if (learners.some(({ estimator }) => estimator.needs?.includes("greedy")))
    refuse("advantage", "the estimator compares with a greedy episode, which has no group");
}

/** @throws LaconicError `config_invalid` for settings that need episodes to be played, or problems to be kept for the test, here */
export function checkSource({ source, task }: PartsOutline, { config, learners }: LearningOutline): void {
  if (source === undefined) return;
  const refuse = (key: string, reason: string): never => {
    throw new LaconicError("config_invalid", `${key}: ${reason}, and episodes are played elsewhere`, { key });
  };
  if (config.tree) refuse("tree", "a tree is played turn by turn here");
  if (config.credit.kind !== "shared") refuse("credit", `${config.credit.kind} plays or grades episodes again`);
  if (config.problemPool !== null) refuse("problemPool", "problems are drawn from it here");
  if (Object.keys(config.limits).length > 0) refuse("limits", "they end episodes that are played here");
  if (learners.some(({ estimator }) => estimator.needs?.includes("greedy")))
    refuse("advantage", "the estimator needs a greedy episode of each problem");
  if (config.earlyStopping && (task.testProblems ?? []).length === 0)
    refuse("earlyStopping", "there are no validation problems to tell by");
}
