import type { AgentId, ChatMessage, Problem, Topology, Utterance } from "@laconic/core";
import { programTopology } from "./program-topology.ts";

/** What an agent of {@link synchronousTurns} is. */
export interface Player {
  readonly id: AgentId;
  /** Most tokens of one reply, the end token included. */
  readonly maxTokens: number;
  /** What it is told before anything else. */
  readonly system?: string;
}

/** Every agent's replies so far, turn by turn, in the order of the agents. */
export type JointHistory = readonly (readonly string[])[];

/**
 * What each agent is asked next, in the order of the agents; null ends the episode. The first call, with no history, asks
 * the first question. An agent learns of the others only what this tells it.
 */
export type ExternalTransition = (
  problem: Problem,
  history: JointHistory,
) => readonly string[] | null | Promise<readonly string[] | null>;

export interface SynchronousTurnsOptions {
  readonly turns: number;
  readonly transition: ExternalTransition;
  /** The team's answer: the joint reply of the last turn. Default: the texts, one after the other. */
  readonly join?: (replies: readonly string[]) => string;
}

/**
 * MAGRPO's play: all agents answer at once in every turn, each from its own history of prompts and replies; in between,
 * an external transition says what they are asked next (Liu et al., "LLM Collaboration with Multi-Agent RL").
 */
export function synchronousTurns(players: readonly Player[], options: SynchronousTurnsOptions): Topology {
  const { turns: most, transition, join = (replies) => replies.join("\n\n") } = options;
  return programTopology({
    name: "synchronous-turns",
    agents: players.map(({ id }) => id),
    async play(stage) {
      const chats = players.map(({ system }): ChatMessage[] =>
        system === undefined ? [] : [{ role: "system", content: system }],
      );
      const history: string[][] = [];
      for (let turn = 0; turn < most; turn++) {
        const asked = await transition(stage.problem, history);
        if (asked === null) return;
        chats.forEach((chat, i) => chat.push({ role: "user", content: asked[i] ?? "" }));
        const lines = players.map(({ id, maxTokens }, i) => ({
          agent: id,
          maxTokens,
          prompt: { kind: "messages" as const, messages: [...(chats[i] ?? [])] },
        }));
        const said = await stage.say(...lines);
        history.push(said.map(({ utterance }) => utterance.text));
        said.forEach(({ utterance }, i) => chats[i]?.push({ role: "assistant", content: utterance.text }));
      }
    },
    answer(turns) {
      const round = turns.at(-1)?.call.round;
      const last = turns.filter(({ call }) => call.round === round).map(({ utterance }) => utterance);
      const [first] = last;
      if (!first || last.every(({ silent }) => silent)) return null;
      return { ...first, text: join(last.map(({ text }) => text)), finishReason: joinedFinish(last) };
    },
  });
}

function joinedFinish(utterances: readonly Utterance[]): Utterance["finishReason"] {
  return utterances.find(({ finishReason }) => finishReason !== "stop")?.finishReason ?? "stop";
}
