import type { Topology } from "@laconic/core";
import type { Turn } from "../turn.ts";
import { programTopology, type Program } from "./program-topology.ts";
import { jointAnswer, jointLine, jointOutputs, type JointGame, type Player } from "./synchronous-turns.ts";

/** Names of MAGRPO's baselines, in which players have not learned to cooperate. */
export type JointBaseline = "single" | "concatenation" | "pipeline" | "discussion-1" | "discussion-2";

/** One model that does every player's part. */
export interface SingleWriter {
  /** Knows all parts, and the marker if there is one. */
  readonly player: Player;
  /** Separates the parts of its reply. Without it the model is asked for part after part in one chat. */
  readonly marker?: string;
}

/** Prompts of {@link jointBaselines}. */
export interface JointWords {
  readonly single: SingleWriter;
  /**
   * Question for a player that has the others' texts.
   * @param draft - its own text of the round before, or null
   */
  readonly having: (question: string, received: readonly Received[], draft: string | null) => string;
}

/** Another player's text. */
export interface Received {
  readonly from: string;
  readonly text: string;
}

/**
 * MAGRPO's baselines of a game's first turn, judged by the same reward through the players' `outputs` (Liu et al., "LLM Collaboration
 * with Multi-Agent RL"). `single`: one model writes all parts. `concatenation`: players write at once, unread by each other.
 * `pipeline`: one after the other, reading those before. `discussion-n`: all write, then n times read the others and write again.
 */
export function jointBaselines(game: JointGame, words: JointWords): Readonly<Record<JointBaseline, Topology>> {
  return {
    single: single(game, words.single),
    concatenation: together(game, words, "concatenation", 0),
    pipeline: pipeline(game, words),
    "discussion-1": together(game, words, "discussion-1", 1),
    "discussion-2": together(game, words, "discussion-2", 2),
  };
}

function together(game: JointGame, words: JointWords, name: JointBaseline, rounds: number): Topology {
  return programTopology({
    ...ofPlayers(game, name),
    async play(stage) {
      const questions = await game.transition(stage.problem, []);
      if (!questions) return;
      let said = await stage.say(...game.players.map((_, i) => jointLine(game, i, [questions], [])));
      const [asked, history]: [(readonly string[])[], string[][]] = [[questions], []];
      for (let round = 0; round < rounds; round++) {
        const drafts = said;
        history.push(drafts.map(({ utterance }) => utterance.text));
        const others = game.players.map((_, i) => drafts.filter((__, j) => j !== i));
        asked.push(
          game.players.map((_, i) =>
            words.having(questions[i] ?? "", heardOf(others[i] ?? []), drafts[i]?.utterance.text ?? ""),
          ),
        );
        said = await stage.say(...game.players.map((_, i) => jointLine(game, i, asked, history, others[i])));
      }
    },
  });
}

function pipeline(game: JointGame, words: JointWords): Topology {
  return programTopology({
    ...ofPlayers(game, "pipeline"),
    async play(stage) {
      const questions = await game.transition(stage.problem, []);
      if (!questions) return;
      const before: Turn[] = [];
      for (const i of game.players.keys()) {
        const question = questions[i] ?? "";
        const asked = questions.with(i, i === 0 ? question : words.having(question, heardOf(before), null));
        before.push(...(await stage.say(jointLine(game, i, [asked], [], [...before]))));
      }
    },
  });
}

function single(game: JointGame, { player, marker }: SingleWriter): Topology {
  const { players } = game;
  const alone: JointGame = { ...game, players: [player] };
  const partsOf = (turns: readonly Turn[]): readonly string[] => {
    const texts = turns.map(({ utterance }) => utterance.text);
    return marker === undefined ? texts : (texts[0]?.split(marker) ?? []).map((part) => part.trim());
  };
  const outputsOf = (turns: readonly Turn[]): Record<string, string> =>
    // More parts than players are the last one's.
    Object.fromEntries(
      players.flatMap(({ id }, i) => {
        const parts = partsOf(turns);
        const own = i === players.length - 1 ? parts.slice(i) : parts.slice(i, i + 1);
        return own.length === 0 ? [] : [[id, own.join("\n\n")]];
      }),
    );
  return programTopology({
    name: "single",
    agents: [player.id],
    async play(stage) {
      const questions = await game.transition(stage.problem, []);
      if (!questions) return;
      const [asked, history]: [string[][], string[][]] = [[], []];
      for (const question of marker === undefined ? questions : questions.slice(0, 1)) {
        asked.push([question]);
        const [turn] = await stage.say(jointLine(alone, 0, asked, history));
        history.push([turn?.utterance.text ?? ""]);
      }
    },
    answer: (turns) => {
      const spoken = turns.findLast(({ utterance }) => !utterance.silent)?.utterance;
      const { join = (replies: readonly string[]) => replies.join("\n\n") } = game;
      return spoken ? { ...spoken, text: join(players.map(({ id }) => outputsOf(turns)[id] ?? "")) } : null;
    },
    outputs: outputsOf,
  });
}

function ofPlayers(game: JointGame, name: JointBaseline): Omit<Program, "play"> {
  return {
    name,
    agents: game.players.map(({ id }) => id),
    answer: (turns) => jointAnswer(game, turns),
    outputs: (turns) => jointOutputs(game, turns),
  };
}

/** Silence is not heard. */
function heardOf(turns: readonly Turn[]): Received[] {
  return turns.flatMap(({ utterance: { agent, text, silent } }) => (silent ? [] : [{ from: agent, text }]));
}
