import {
  type AgentId,
  type ChatMessage,
  type Episode,
  type Problem,
  type Prompt,
  type Topology,
  type Utterance,
  present,
} from "@laconic/core";
import { endEpisode, endingOf } from "../end-episode.ts";
import type { Turn } from "../turn.ts";
import { programTopology, type Line } from "./program-topology.ts";

/** Agent of {@link synchronousTurns}. */
export interface Player extends Pick<Line, "maxTokens" | "stop" | "renderPrompt"> {
  readonly id: AgentId;
  readonly system?: string;
  /** Default: the chat's messages. */
  readonly prompt?: (chat: readonly ChatMessage[]) => Prompt;
}

/** Replies or questions by turn and agent. */
export type JointHistory = readonly (readonly string[])[];

/** Next question of each agent, or null to end; the first call has no history. */
export type ExternalTransition = (
  problem: Problem,
  history: JointHistory,
) => readonly string[] | null | Promise<readonly string[] | null>;

/** Options of {@link synchronousTurns}. */
export interface SynchronousTurnsOptions {
  readonly turns: number;
  readonly transition: ExternalTransition;
  /** Shown answer. Default: the last turn's texts. */
  readonly join?: (replies: readonly string[]) => string;
}

/** Game data for rollout trees. */
export interface JointGame extends SynchronousTurnsOptions {
  readonly players: readonly Player[];
}

const name = "synchronous-turns";

/**
 * MAGRPO's play: all agents answer concurrently, each from its own history; an external transition asks the next
 * questions (Liu et al., "LLM Collaboration with Multi-Agent RL").
 */
export function synchronousTurns(players: readonly Player[], options: SynchronousTurnsOptions): Topology {
  const game: JointGame = { ...options, players };
  return programTopology({
    name,
    agents: players.map(({ id }) => id),
    async play(stage) {
      const [asked, history]: [(readonly string[])[], string[][]] = [[], []];
      for (let turn = 0; turn < game.turns; turn++) {
        const questions = await game.transition(stage.problem, history);
        if (questions === null) return;
        asked.push(questions);
        const replies = await stage.say(...players.map((_, i) => jointLine(game, i, asked, history)));
        history.push(replies.map(({ utterance }) => utterance.text));
      }
    },
    answer: (turns) => jointAnswer(game, turns),
    outputs: (turns) => jointOutputs(game, turns),
  });
}

/** @param reads - turns with messages in the prompt */
export function jointLine(
  game: JointGame,
  i: number,
  asked: JointHistory,
  history: JointHistory,
  reads: readonly Turn[] = [],
): Line {
  const { id, maxTokens, stop, renderPrompt } = game.players[i]!;
  return {
    agent: id,
    maxTokens,
    prompt: jointPrompt(game, i, asked, history),
    reads: reads.map(({ message }) => message),
    ...present({ stop, renderPrompt }),
  };
}

/** Chat after a joint history. */
export function jointPrompt(
  { players }: Pick<JointGame, "players">,
  agent: number,
  asked: JointHistory,
  history: JointHistory,
): Prompt {
  const { system, prompt } = players[agent]!;
  const chat: ChatMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  asked.forEach((questions, turn) => {
    chat.push({ role: "user", content: questions[agent] ?? "" });
    const reply = history[turn]?.[agent];
    if (reply !== undefined) chat.push({ role: "assistant", content: reply });
  });
  return prompt ? prompt(chat) : { kind: "messages", messages: chat };
}

/** Episode of a finished branch. */
export function jointEpisode(game: JointGame, problem: Problem, turns: readonly Turn[]): Episode {
  const answer = jointAnswer(game, turns);
  return endEpisode(name, problem, turns, answer, endingOf(answer), jointOutputs(game, turns));
}

/** Includes silence. */
export function jointOutputs({ players }: Pick<JointGame, "players">, turns: readonly Turn[]): Record<AgentId, string> {
  return Object.fromEntries(lastReplies(players, turns).flatMap((last) => (last ? [[last.agent, last.text]] : [])));
}

export function jointAnswer(
  { players, join = (replies) => replies.join("\n\n") }: Pick<JointGame, "players" | "join">,
  turns: readonly Turn[],
): Utterance | null {
  const last = lastReplies(players, turns);
  const spoken = last.filter((utterance) => utterance !== undefined);
  // A speaking player represents all.
  const speaker = spoken.find(({ silent }) => !silent);
  if (!speaker) return null;
  const finishReason = spoken.find((utterance) => utterance.finishReason !== "stop")?.finishReason ?? "stop";
  return { ...speaker, text: join(last.map((utterance) => utterance?.text ?? "")), finishReason };
}

function lastReplies(players: readonly Player[], turns: readonly Turn[]): (Utterance | undefined)[] {
  return players.map(({ id }) => turns.findLast(({ utterance }) => utterance.agent === id)?.utterance);
}
