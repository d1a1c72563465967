import {
  type AgentId,
  type ChatMessage,
  type Episode,
  type Problem,
  type Prompt,
  type Topology,
  type Utterance,
} from "@laconic/core";
import { endEpisode, endingOf } from "../end-episode.ts";
import type { Turn } from "../turn.ts";
import { programTopology, type Line } from "./program-topology.ts";

/** An agent of {@link synchronousTurns}. */
export interface Player {
  readonly id: AgentId;
  /** Most tokens of one reply, the end token included. */
  readonly maxTokens: number;
  /** Texts that end a reply. */
  readonly stop?: readonly string[];
  /** What it is told before anything else. */
  readonly system?: string;
  /** Prompt of its chat; default the messages. */
  readonly prompt?: (chat: readonly ChatMessage[]) => Prompt;
  /** How transcripts show such a prompt. */
  readonly renderPrompt?: (prompt: Prompt) => string;
}

/** Every agent's replies so far, or what each was asked: turn by turn, in the order of the agents. */
export type JointHistory = readonly (readonly string[])[];

/** Next question of each agent; null ends the episode. Called first without history. Agents learn of others only through this. */
export type ExternalTransition = (
  problem: Problem,
  history: JointHistory,
) => readonly string[] | null | Promise<readonly string[] | null>;

/** How many turns, what comes between two of them, and what the answer is. */
export interface SynchronousTurnsOptions {
  readonly turns: number;
  readonly transition: ExternalTransition;
  /** The team's shown answer; default the texts of the last turn, one after the other. Rewards read `outputs`. */
  readonly join?: (replies: readonly string[]) => string;
}

/** Synchronous turns as data, for rollout trees. */
export interface JointGame extends SynchronousTurnsOptions {
  readonly players: readonly Player[];
}

const name = "synchronous-turns";

/**
 * MAGRPO's play: all agents answer at once in every turn, each from its own history; an external transition asks the next questions
 * (Liu et al., "LLM Collaboration with Multi-Agent RL").
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
        const said = await stage.say(...players.map((_, i) => jointLine(game, i, asked, history)));
        history.push(said.map(({ utterance }) => utterance.text));
      }
    },
    answer: (turns) => jointAnswer(game, turns),
    outputs: (turns) => jointOutputs(game, turns),
  });
}

/** The line of a player after a joint history. @param reads - turns whose messages are in its prompt */
export function jointLine(
  game: JointGame,
  i: number,
  asked: JointHistory,
  history: JointHistory,
  reads: readonly Turn[] = [],
): Line {
  const { id, maxTokens, stop, renderPrompt } = game.players[i] as Player;
  return {
    agent: id,
    maxTokens,
    prompt: jointPrompt(game, i, asked, history),
    reads: reads.map(({ message }) => message),
    ...(stop && { stop }),
    ...(renderPrompt && { renderPrompt }),
  };
}

/** Chat of an agent after a joint history: its questions and replies, then the new question. */
export function jointPrompt(
  { players }: Pick<JointGame, "players">,
  agent: number,
  asked: JointHistory,
  history: JointHistory,
): Prompt {
  const { system, prompt } = players[agent] as Player;
  const chat: ChatMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  asked.forEach((questions, turn) => {
    chat.push({ role: "user", content: questions[agent] ?? "" });
    const reply = history[turn]?.[agent];
    if (reply !== undefined) chat.push({ role: "assistant", content: reply });
  });
  return prompt ? prompt(chat) : { kind: "messages", messages: chat };
}

/** The episode of turns that ended a branch, as {@link synchronousTurns} makes it. */
export function jointEpisode(game: JointGame, problem: Problem, turns: readonly Turn[]): Episode {
  const answer = jointAnswer(game, turns);
  return endEpisode(name, problem, turns, answer, endingOf(answer), jointOutputs(game, turns));
}

/** Every player's last reply; silence is a reply too. */
export function jointOutputs({ players }: Pick<JointGame, "players">, turns: readonly Turn[]): Record<AgentId, string> {
  return Object.fromEntries(lastReplies(players, turns).flatMap((last) => (last ? [[last.agent, last.text]] : [])));
}

/** The joined last replies; a player stopped by a limit keeps an earlier one. */
export function jointAnswer(
  { players, join = (replies) => replies.join("\n\n") }: Pick<JointGame, "players" | "join">,
  turns: readonly Turn[],
): Utterance | null {
  const last = lastReplies(players, turns);
  const spoken = last.filter((utterance) => utterance !== undefined);
  // A program treats a silent utterance as no answer, so a speaking player represents all.
  const speaker = spoken.find(({ silent }) => !silent);
  if (!speaker) return null;
  return { ...speaker, text: join(last.map((utterance) => utterance?.text ?? "")), finishReason: joinedFinish(spoken) };
}

/** By player; undefined for one who never spoke. */
function lastReplies(players: readonly Player[], turns: readonly Turn[]): (Utterance | undefined)[] {
  return players.map(({ id }) => turns.findLast(({ utterance }) => utterance.agent === id)?.utterance);
}

function joinedFinish(utterances: readonly Utterance[]): Utterance["finishReason"] {
  return utterances.find(({ finishReason }) => finishReason !== "stop")?.finishReason ?? "stop";
}
