import { configError } from "@laconic/core";
import type { Episode, Grader, LanguageModel, Problem, Random, Topology } from "@laconic/core";
import { star, type AgentSpec } from "@laconic/topologies";
import { evaluationSplits, type GradedTask } from "../task.ts";
import { generateRelayProblem, holdersOf, relayContent, relayLevels, relaySolver } from "./problem.ts";
import type { RelayLevel, RelayLevelName } from "./problem.ts";
import { relayHolderPrompt, relaySolverPrompt, renderTokens } from "./prompts.ts";
import { relayTokenizer } from "./tokenizer.ts";

/** Fits "i have nothing for this one" and the end token. */
const holderMaxTokens = 28;
/** Fits "the answer is 18" and the end token. */
const solverMaxTokens = 20;

/** Holders write concurrently; the solver reads them in order and answers. */
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

/** Plays one model as every agent, at temperature 1. */
export function relayEpisode(
  level: RelayLevel,
  problem: Problem,
  model: LanguageModel,
  random: Random,
): Promise<Episode> {
  const models = Object.fromEntries([...holdersOf(level), relaySolver].map((agent) => [agent, model]));
  return relayTopology(level).run(problem, { models, sampling: { temperature: 1 }, random });
}

/** Number in a reply: "the answer is 15" gives 15; "15 16", "1 5", "x15" and "015" give null. */
export function extractRelayAnswer(reply: string): string | null {
  // Digits of every script, so that a second guess cannot hide.
  const numbers = reply.split(/\s+/u).filter((word) => /\p{N}/u.test(word));
  const [number] = numbers;
  return numbers.length === 1 && number !== undefined && /^(0|[1-9][0-9]*)$/.test(number) ? number : null;
}

/** 1 if the reply's number is the gold sum, else 0. */
export const relayGrader: Grader = (answer, problem) =>
  answer !== null && extractRelayAnswer(answer) === problem.gold ? 1 : 0;

/** Options of the relay. */
export interface RelayTaskOptions {
  readonly level: RelayLevelName;
  /** Problems per evaluation split. Default 200. */
  readonly testProblems?: number;
  /** Seed of validation problems. Default "relay". */
  readonly seed?: string | number;
}

/** The relay as a graded task. */
export interface RelayTask extends GradedTask {
  readonly level: RelayLevel;
}

/** @throws LaconicError `config_invalid` */
export function relayTask({ level: name, testProblems = 200, seed = "relay" }: RelayTaskOptions): RelayTask {
  if (!Object.hasOwn(relayLevels, name))
    throw configError(`relay level "${name}" is unknown; use one of ${Object.keys(relayLevels).join(", ")}`, {
      level: name,
    });
  if (!Number.isInteger(testProblems) || testProblems < 0)
    throw configError(`testProblems is ${testProblems}, expected a count`, { testProblems });
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
