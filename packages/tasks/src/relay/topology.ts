import type { Prompt, Topology } from "@laconic/core";
import { star, type AgentSpec } from "@laconic/topologies";
import { holdersOf, relaySolver } from "./agents.ts";
import type { RelayLevel } from "./levels.ts";
import { holderPrompt, solverPrompt } from "./prompts.ts";
import { spellRelayTokens } from "./tokenizer.ts";

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
    prompt: ({ agent, question, privateView = "" }) => tokens(holderPrompt(agent, privateView, question)),
    renderPrompt,
  }));
  const solver: AgentSpec = {
    id: relaySolver,
    role: "solver",
    maxTokens: solverMaxTokens,
    prompt: ({ question, inbox }) =>
      tokens(
        solverPrompt(
          question,
          inbox.map((message) => message.text),
        ),
      ),
    renderPrompt,
  };
  return star(holders, solver, `relay/${level.name}`);
}

function tokens(ids: readonly number[]): Prompt {
  return { kind: "tokens", tokens: ids };
}

function renderPrompt(prompt: Prompt): string {
  return prompt.kind === "tokens" ? spellRelayTokens(prompt.tokens) : "";
}
