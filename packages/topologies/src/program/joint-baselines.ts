import type { Topology } from "@laconic/core";
import type { Turn } from "../turn.ts";
import { programTopology, type Program } from "./program-topology.ts";
import { jointAnswer, jointLine, jointOutputs, type JointGame, type Player } from "./synchronous-turns.ts";

/** MAGRPO's baselines of untrained players. */
export type JointBaseline = "single" | "concatenation" | "pipeline" | "discussion-1" | "discussion-2";

export interface SingleWriter {
  readonly player: Player;
  /** Separates the parts of a reply; absent: one part per turn. */
  readonly marker?: string;
}

/** Prompts of {@link jointBaselines}. */
export interface JointWords {
  readonly single: SingleWriter;
  /**
   * Question with the others' texts.
   * @param draft - the player's previous text, or null
   */
  readonly having: (question: string, received: readonly Received[], draft: string | null) => string;
}

/** Text of another player. */
export interface Received {
  readonly from: string;
  readonly text: string;
}

/**
 * MAGRPO's baselines for a game's first turn (Liu et al., "LLM Collaboration with Multi-Agent RL"). `single`: one model
 * writes all parts. `concatenation`: players write concurrently. `pipeline`: they read their predecessors.
 * `discussion-n`: all write, then n times revise.
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
      let replies = await stage.say(...game.players.map((_, i) => jointLine(game, i, [questions], [])));
      const [asked, history]: [(readonly string[])[], string[][]] = [[questions], []];
      for (let round = 0; round < rounds; round++) {
        const drafts = replies;
        history.push(drafts.map(({ utterance }) => utterance.text));
        const others = game.players.map((_, i) => drafts.filter((__, j) => j !== i));
        asked.push(
          game.players.map((_, i) =>
            words.having(questions[i] ?? "", heardOf(others[i] ?? []), drafts[i]?.utterance.text ?? ""),
          ),
        );
        replies = await stage.say(...game.players.map((_, i) => jointLine(game, i, asked, history, others[i])));
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
    // The last player gets all extra parts.
    Object.fromEntries(
      players.flatMap(({ id }, i) => {
        const parts = partsOf(turns);
        const texts = i === players.length - 1 ? parts.slice(i) : parts.slice(i, i + 1);
        return texts.length === 0 ? [] : [[id, texts.join("\n\n")]];
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

function heardOf(turns: readonly Turn[]): Received[] {
  return turns.flatMap(({ utterance: { agent, text, silent } }) => (silent ? [] : [{ from: agent, text }]));
}
