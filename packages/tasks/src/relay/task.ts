import {
  LaconicError,
  type Episode,
  type Grader,
  type LanguageModel,
  type Problem,
  type Random,
  type Topology,
} from "@laconic/core";
import { star, type AgentSpec } from "@laconic/topologies";
import { evaluationSplits, type GradedTask } from "../task.ts";
import {
  generateRelayProblem,
  holdersOf,
  relayContent,
  relayLevels,
  relaySolver,
  type RelayLevel,
  type RelayLevelName,
} from "./problem.ts";
import { relayHolderPrompt, relaySolverPrompt, renderTokens } from "./prompts.ts";
import { relayTokenizer } from "./tokenizer.ts";

/** Room for the longest sentence of the teacher, "i have nothing for this one", and its end token. */
const holderMaxTokens = 28;
/** Room for "the answer is 18", its end token, and a little more. */
const solverMaxTokens = 20;

/** Holders write at the same time and do not read each other; the solver reads them in order and answers. */
export function relayTopology(level: RelayLevel): Topology {
  const holders = holdersOf(level).map((id, slot): AgentSpec => ({
    id,
    role: "holder",
    maxTokens: holderMaxTokens,
    prompt: (view) => relayHolderPrompt(view, slot),
    renderPrompt: renderTokens,
  }));
  const solver: AgentSpec = {
    id: relaySolver,
    role: "solver",
    maxTokens: solverMaxTokens,
    prompt: ({ question, inbox }) => relaySolverPrompt({ question, inbox }),
    renderPrompt: renderTokens,
  };
  return star(holders, solver, `relay/${level.name}`);
}

/** Plays one model as every agent, at temperature 1, such as a teacher, an oracle or a policy. */
export function relayEpisode(
  level: RelayLevel,
  problem: Problem,
  model: LanguageModel,
  random: Random,
): Promise<Episode> {
  const models = Object.fromEntries([...holdersOf(level), relaySolver].map((agent) => [agent, model]));
  return relayTopology(level).run(problem, { models, sampling: { temperature: 1 }, random });
}

/** The number of the only word with a digit: "the answer is 15" gives 15; "15 16", "1 5", "x15" and "015" give null. */
export function extractRelayAnswer(reply: string): string | null {
  // Digits of every script count, so that a second guess cannot hide.
  const numbers = reply.split(/\s+/u).filter((word) => /\p{N}/u.test(word));
  const [number] = numbers;
  return numbers.length === 1 && number !== undefined && /^(0|[1-9][0-9]*)$/.test(number) ? number : null;
}

/** 1 when the reply commits to the gold sum, otherwise 0. */
export const relayGrader: Grader = (answer, problem) =>
  answer !== null && extractRelayAnswer(answer) === problem.gold ? 1 : 0;

/** Level and test problems of the relay world. */
export interface RelayTaskOptions {
  readonly level: RelayLevelName;
  /** Number of validation problems, and of test problems, all different. Default 200. */
  readonly testProblems?: number;
  /** Seed of the validation problems. Default "relay". */
  readonly seed?: string | number;
}

/** The relay, as a trainer or an evaluation takes it. */
export interface RelayTask extends GradedTask {
  readonly level: RelayLevel;
}

/** @throws LaconicError `config_invalid` when the level is unknown or `testProblems` is no count */
export function relayTask({ level: name, testProblems = 200, seed = "relay" }: RelayTaskOptions): RelayTask {
  if (!Object.hasOwn(relayLevels, name))
    throw new LaconicError(
      "config_invalid",
      `relay level "${name}" is unknown; use one of ${Object.keys(relayLevels).join(", ")}`,
      { level: name },
    );
  if (!Number.isInteger(testProblems) || testProblems < 0)
    throw new LaconicError("config_invalid", `testProblems is ${testProblems}, expected a count`, { testProblems });
  const level = relayLevels[name];
  const draw = (random: Random): Problem => generateRelayProblem(level, random, "evaluation");
  return {
    name: `relay/${name}`,
    level,
    topology: relayTopology(level),
    tokenizer: relayTokenizer,
    grader: relayGrader,
    problems: (random, count) => Array.from({ length: count }, () => generateRelayProblem(level, random)),
    ...evaluationSplits(testProblems, seed, draw, relayContent),
  };
}
