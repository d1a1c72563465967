import { LaconicError, type Grader, type Problem, type Random, type Tokenizer, type Topology } from "@laconic/core";
import { evaluationSplits } from "../task.ts";
import { relayGrader } from "./grader.ts";
import { relayLevels, type RelayLevel, type RelayLevelName } from "./levels.ts";
import { relayProbes } from "./probes.ts";
import type { TaskProbes } from "../probe.ts";
import { generateRelayProblem, relayContent } from "./problem.ts";
import { relayTokenizer } from "./tokenizer.ts";
import { relayTopology } from "./topology.ts";

/** Level and test problems of the relay world. */
export interface RelayTaskOptions {
  readonly level: RelayLevelName;
  /** Validation problems, and as many of the test, all different; 200 when absent. */
  readonly testProblems?: number;
  /** Seed of the validation problems; "relay" when absent. */
  readonly seed?: string | number;
}

/** All a trainer or an evaluation needs to run the relay. */
export interface RelayTask {
  readonly name: string;
  readonly level: RelayLevel;
  readonly topology: Topology;
  readonly tokenizer: Tokenizer;
  readonly grader: Grader;
  /** Draws training problems; none is ever kept for validation and test. */
  problems(random: Random, count: number): Problem[];
  readonly validation: readonly Problem[];
  readonly testProblems: readonly Problem[];
  readonly probes: TaskProbes;
}

/**
 * The relay task at one level.
 * @throws LaconicError `config_invalid` when the level is unknown or `testProblems` is no count.
 */
export function relayTask(options: RelayTaskOptions): RelayTask {
  const { testProblems = 200, seed = "relay" } = options;
  if (!Object.hasOwn(relayLevels, options.level))
    throw new LaconicError(
      "config_invalid",
      `relay level "${options.level}" is unknown; use one of ${Object.keys(relayLevels).join(", ")}`,
      { level: options.level },
    );
  if (!Number.isInteger(testProblems) || testProblems < 0)
    throw new LaconicError("config_invalid", `testProblems must be a count of problems, not ${testProblems}`, {
      testProblems,
    });
  const level = relayLevels[options.level];
  return {
    name: `relay/${level.name}`,
    level,
    topology: relayTopology(level),
    tokenizer: relayTokenizer,
    grader: relayGrader,
    probes: relayProbes(level),
    problems: (random, count) => Array.from({ length: count }, () => generateRelayProblem(level, random, "train")),
    ...evaluationSplits(
      testProblems,
      seed,
      (random) => generateRelayProblem(level, random, "evaluation"),
      relayContent,
    ),
  };
}
