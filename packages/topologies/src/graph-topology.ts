import {
  shownValue,
  type AgentId,
  type EpisodeContext,
  type Problem,
  type StopReason,
  type Topology,
  type Utterance,
  present,
} from "@laconic/core";
import { checkedCall } from "@laconic/core/checks";
import { lastWords } from "./answer-rule.ts";
import { budgetView } from "./budgeted.ts";
import { checkGraph, speakingWaves } from "./check-graph.ts";
import { endEpisode, endingOf } from "./end-episode.ts";
import { asPrompt, type AgentSpec, type Edge, type Graph } from "./graph.ts";
import { admit } from "./limits.ts";
import { modelOf } from "./speak.ts";
import type { SpeakRequest, Turn } from "./turn.ts";
import { episodeClock, takeTurns } from "./take-turns.ts";
import { seenBy, type BudgetView, type ReceivedMessage } from "./view.ts";

/**
 * Executes a graph; independent agents speak concurrently. Turns have separate random streams, so that the order of
 * replies has no effect.
 * @throws LaconicError `topology_invalid`; `run` throws `input_invalid` for a missing model, `aborted`, and the first
 * model error in turn order
 */
export function graphTopology<const A extends AgentId>(graph: Graph<A>): Topology {
  checkGraph(graph);
  const waves = speakingWaves(graph);
  const plan = Array.from({ length: graph.rounds }, (_, round) =>
    waves.map((wave) => ({ round, wave, isFirst: wave === waves[0] })),
  ).flat();

  return {
    name: graph.name,
    agents: graph.agents.map((agent) => agent.id),
    answerers: graph.answer.agents,
    async run(problem, context) {
      for (const { id } of graph.agents) modelOf(context, id);
      const turns: Turn[] = [];
      let limit: StopReason | null = null;
      let error: string | undefined;
      let isAnySpent = false;
      const clock = episodeClock(context);

      for (const { round, wave, isFirst } of plan) {
        if (isFirst && round > 0 && isDone(graph, turns)) break;
        const speaking = wave.filter(({ rounds }) => rounds?.includes(round) ?? true);
        if (speaking.length === 0) continue;
        const admission = admit(speaking, ({ id }) => id, turns, context.limits);
        isAnySpent ||= admission.spent.length > 0;
        const budget = budgetView(context, turns);
        const requests = admission.speakers.map(({ speaker, maxTokens }, position) => ({
          ...promptFor(graph, speaker, problem, round, turns, budget),
          turn: turns.length + position,
          maxTokens: Math.min(ownMaxTokens(speaker, context), maxTokens),
        }));
        const taken = await takeTurns(context, clock, requests);
        turns.push(...taken.turns);
        limit = taken.ended ?? admission.limit;
        error = taken.error;
        if (limit) break;
      }

      const utterances = turns.map((turn) => turn.utterance);
      const of = { name: `the answer rule ${graph.answer.name}`, value: "task" };
      const answer = checkedCall(of, () => graph.answer.choose(utterances), lacksOfAnswer);
      if (isAnySpent) limit ??= "token_limit";
      const spoken = graph.answer.agents.flatMap((agent) => lastWords(agent, utterances) ?? []);
      const outputs = Object.fromEntries(spoken.map(({ agent, text }) => [agent, text]));
      const episode = endEpisode(
        graph.name,
        problem,
        turns,
        answer,
        limit ?? ending(answer, graph, context),
        graph.answer.agents.length > 1 ? outputs : undefined,
      );
      return error === undefined ? episode : { ...episode, notes: [error] };
    },
  };
}

function promptFor(
  graph: Graph,
  agent: AgentSpec,
  problem: Problem,
  round: number,
  turns: readonly Turn[],
  budget: BudgetView | undefined,
): Omit<SpeakRequest, "turn" | "maxTokens"> {
  const written = (edges: readonly Edge[] = [], inRound: number): ReceivedMessage[] =>
    edges.filter((edge) => edge.to === agent.id).flatMap((edge) => delivered(edge, turns, inRound));
  const inbox = [...written(graph.temporal, round - 1), ...written(graph.spatial, round)];
  const view = {
    agent: agent.id,
    role: agent.role,
    ...seenBy(problem, agent.id),
    inbox,
    round,
    ...(budget && { budget }),
  };
  const of = { name: `agent "${agent.id}": its prompt`, value: "task" };
  const prompt = checkedCall(of, () => asPrompt(agent.prompt(view)), lacksOfPrompt);
  const { id, stop, renderPrompt } = agent;
  const speaksAgain = (agent.rounds?.length ?? graph.rounds) > 1;
  const { pass } = graph;
  return {
    agent: id,
    round,
    prompt,
    inbox,
    speaksAgain,
    earlier: [...turns],
    ...present({ pass, stop, renderPrompt }),
  };
}

function isDone({ name, until }: Graph, turns: readonly Turn[]): boolean {
  if (!until) return false;
  const utterances = turns.map(({ utterance }) => utterance);
  const lacks = (done: unknown): string | null =>
    typeof done === "boolean" ? null : `is ${shownValue(done)}, expected true or false`;
  return checkedCall({ name: `the early stop of ${name}`, value: "task" }, () => until(utterances), lacks);
}

function lacksOfPrompt(input: unknown): string | null {
  const { kind, text, messages, tokens } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === "text" && typeof text === "string") return null;
  if (kind === "messages" && Array.isArray(messages)) return null;
  if (kind === "tokens" && Array.isArray(tokens)) return null;
  return `is ${shownValue(input)}, expected a text, { kind: "text", text }, { kind: "messages", messages } or { kind: "tokens", tokens }`;
}

function lacksOfAnswer(input: unknown): string | null {
  if (input === null || (typeof input === "object" && "agent" in input && "text" in input)) return null;
  return `chose ${shownValue(input)}, expected an utterance or null`;
}

function delivered({ from, delivery = "last" }: Edge, turns: readonly Turn[], inRound: number): ReceivedMessage[] {
  const replies = turns
    .filter(({ call }) => call.agent === from && call.round <= inRound)
    .map(({ message }) => message);
  if (delivery === "full") return replies;
  const message = replies.find(({ round }) => round === inRound);
  if (!message) return [];
  if (delivery === "last" || message.silent) return [message];
  const { text, tokens } = delivery.shorten(message);
  return [{ ...message, text, tokens, silent: text === "" }];
}

function ownMaxTokens(agent: AgentSpec, context: EpisodeContext): number {
  return Math.min(agent.maxTokens, context.sampling.maxTokens ?? Infinity);
}

function ending(answer: Utterance | null, graph: Graph, context: EpisodeContext): StopReason {
  if (answer?.finishReason !== "length") return endingOf(answer);
  const answerer = graph.agents.find((agent) => agent.id === answer.agent);
  const cutByEpisode = answerer !== undefined && answer.writtenTokens < ownMaxTokens(answerer, context);
  return cutByEpisode ? "token_limit" : "truncated";
}
