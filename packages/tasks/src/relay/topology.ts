import type { Episode, LanguageModel, Problem, Random, Topology } from "@laconic/core";
import { type AgentSpec, star } from "@laconic/topologies";
import { renderTokens, tokensPrompt } from "./token-prompt.ts";
import { holdersOf, type RelayLevel, relaySolver } from "./levels.ts";
import { holderPrompt, solverPrompt } from "./prompts.ts";

/** Room for the longest sentence of the teacher, "i have nothing for this one", and its end token. */
const holderMaxTokens = 28;
/** Room for "the answer is 18", its end token, and a little more. */
const solverMaxTokens = 20;

/** Holders write at once, unheard by each other; the solver reads them in order and answers. */
export function relayTopology(level: RelayLevel): Topology {
  const holders = holdersOf(level).map<AgentSpec>((id) => ({
    id,
    role: "holder",
    maxTokens: holderMaxTokens,
    prompt: ({ agent, question, privateView = "" }) => tokensPrompt(holderPrompt(agent, privateView, question)),
    renderPrompt: renderTokens,
  }));
  const solver: AgentSpec = {
    id: relaySolver,
    role: "solver",
    maxTokens: solverMaxTokens,
    prompt: ({ question, inbox }) =>
      tokensPrompt(
        solverPrompt(
          question,
          inbox.map((message) => message.text),
        ),
      ),
    renderPrompt: renderTokens,
  };
  return star(holders, solver, `relay/${level.name}`);
}

/** One model plays every agent, at temperature 1: how a teacher, an oracle or a policy fares on a problem. */
export function relayEpisode(
  level: RelayLevel,
  problem: Problem,
  model: LanguageModel,
  random: Random,
): Promise<Episode> {
  const models = Object.fromEntries([...holdersOf(level), relaySolver].map((agent) => [agent, model]));
  return relayTopology(level).run(problem, { models, sampling: { temperature: 1 }, random });
}
