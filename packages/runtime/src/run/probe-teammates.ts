import type { AgentId, Episode, LanguageModel, Problem, Topology, Utterance } from "@laconic/core";

/** Replacement of a teammate's words; silence is an empty text of no tokens. */
export interface Replacement {
  readonly agent: AgentId;
  readonly text: string;
  /** Written, the end token included. */
  readonly tokens: number;
}

/** A team in which some agents say something else; their models are not asked. */
export function withReplacements(
  topology: Topology,
  replacementsOf: (problem: Problem) => readonly Replacement[],
): Topology {
  return {
    name: topology.name,
    agents: topology.agents,
    run: (problem, context) => {
      const own = replacementsOf(problem).map(
        (each) => [each.agent, saying(each, context.models[each.agent]?.id ?? each.agent)] as const,
      );
      return topology.run(problem, { ...context, models: { ...context.models, ...Object.fromEntries(own) } });
    },
  };
}

function saying({ text, tokens }: Replacement, id: string): LanguageModel {
  return {
    id,
    complete: async () => ({
      text,
      finishReason: "stop",
      usage: { promptTokens: 0, completionTokens: tokens, counted: "model" },
      model: { id, weightVersion: 0 },
    }),
  };
}

/** Nothing said. */
export function silence(agent: AgentId): Replacement {
  return { agent, text: "", tokens: 0 };
}

/** What others than the one who answers said, and somebody read. */
export function messagesIn({ utterances }: Episode, answerer: AgentId | null): Utterance[] {
  return utterances.filter(({ agent, silent, deliveredTo }) => agent !== answerer && !silent && deliveredTo.length > 0);
}

/**
 * For each episode a message of one teammate, drawn among those that were read; null where none was.
 * @param pick - chooses one of the messages of an episode, by its position
 */
export function teammatesHeard(
  episodes: readonly Episode[],
  answerer: AgentId | null,
  pick: (messages: readonly Utterance[], position: number) => Utterance,
): (Utterance | null)[] {
  return episodes.map((episode, i) => {
    const messages = messagesIn(episode, answerer);
    return messages.length === 0 ? null : pick(messages, i);
  });
}

/** For each message what the same agent said in the next episode where it said something else; null where it never did. */
export function liesFor(
  heard: readonly (Utterance | null)[],
  episodes: readonly Episode[],
  answerer: AgentId | null,
): (Replacement | null)[] {
  const said = episodes.map((episode) => messagesIn(episode, answerer));
  return heard.map((message, i) => {
    if (message === null) return null;
    const others = [...said.slice(i + 1), ...said.slice(0, i)].flat();
    const lie = others.find(({ agent, text }) => agent === message.agent && text !== message.text);
    return lie ? { agent: lie.agent, text: lie.text, tokens: lie.writtenTokens } : null;
  });
}

/** Who answers: the last to have said what stands as the answer, in most episodes; null where several agents answer. */
export function answererOf(episodes: readonly Episode[]): AgentId | null {
  const counts = new Map<AgentId, number>();
  for (const { answer, outputs, utterances } of episodes) {
    const agent = outputs ? undefined : utterances.findLast(({ text }) => text === answer)?.agent;
    if (agent !== undefined) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
