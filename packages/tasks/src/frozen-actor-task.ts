import type { TaskProbes } from "./probe.ts";
import type { Grader, Problem, Random, Tokenizer, Topology } from "@laconic/core";

/** AgentPO on two cores: a policy that helps an actor that does not learn. */
export interface FrozenActorTask {
  readonly name: string;
  readonly topology: Topology;
  /** The actor alone: what help has to beat. */
  readonly actorAlone: Topology;
  /** Agents that learn. */
  readonly trainedAgents: readonly string[];
  readonly tokenizer: Tokenizer;
  readonly grader: Grader;
  problems(random: Random, count: number): Problem[];
  readonly validation: readonly Problem[];
  readonly testProblems: readonly Problem[];
  readonly probes: TaskProbes;
}
