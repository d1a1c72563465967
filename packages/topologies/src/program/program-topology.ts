import {
  LaconicError,
  type AgentId,
  type Episode,
  type EpisodeContext,
  type Problem,
  type Prompt,
  type StopReason,
  type Topology,
  type Utterance,
} from "@laconic/core";
import { endEpisode, endingOf } from "../end-episode.ts";
import { admit } from "../limits.ts";
import { budgetView } from "../budgeted.ts";
import { problemText } from "../prompts/template.ts";
import { modelOf } from "../speak.ts";
import type { Turn } from "../turn.ts";
import { episodeClock, takeTurns, type EpisodeClock } from "../take-turns.ts";
import { seenBy, type BudgetView, type ReceivedMessage } from "../view.ts";

/** A line that a program asks an agent to speak. */
export interface Line {
  readonly agent: AgentId;
  readonly prompt: Prompt;
  /** The messages in the prompt: they enter the ledger as reads. */
  readonly reads?: readonly ReceivedMessage[];
  /** Most tokens written, the end token included. */
  readonly maxTokens: number;
  /** Instead of the episode's. */
  readonly temperature?: number;
  /** Texts that end the reply. */
  readonly stop?: readonly string[];
  /** How transcripts show the prompt. */
  readonly renderPrompt?: (prompt: Prompt) => string;
}

/** What a program plays on. */
export interface Stage {
  readonly problem: Problem;
  /** The question, and the agent's private part. */
  shown(agent: AgentId): string;
  /** Everything said so far, in order. */
  readonly turns: readonly Turn[];
  /** As the next speakers see it, where the episode has one. */
  readonly budget?: BudgetView | undefined;
  /** Speaks independent lines concurrently as one round, numbered in the given order. */
  say(...lines: readonly Line[]): Promise<Turn[]>;
  /** Sets the answer, or none, instead of `Program.answer`. */
  conclude(answer: Utterance | null): void;
  /** Adds a note to the episode, such as `capped`. */
  note(text: string): void;
}

/** A method with control flow: a topology whose next turn depends on what was said. */
export interface Program {
  readonly name: string;
  readonly agents: readonly AgentId[];
  /** Has agents speak. A limit of the episode ends it between two rounds. */
  play(stage: Stage): Promise<void>;
  /** A message with only this text is silence, like an empty one. */
  readonly pass?: string;
  /** The answer in what was said, also when a limit cut the play short. */
  answer(turns: readonly Turn[]): Utterance | null;
  /** Answers of agents, if several answer. */
  outputs?(turns: readonly Turn[]): Episode["outputs"];
}

/** Ends a program when the episode has reached a limit. */
class Curtain {
  readonly reason: StopReason;
  readonly error: string | undefined;
  constructor(reason: StopReason, error?: string) {
    this.reason = reason;
    this.error = error;
  }
}

/**
 * A program as a topology, with the random streams of a graph's turns.
 * @throws LaconicError `topology_invalid` without agents; `run` throws what models throw, and `aborted`
 */
export function programTopology(program: Program): Topology {
  const { name, agents } = program;
  if (agents.length === 0 || new Set(agents).size < agents.length)
    throw new LaconicError("topology_invalid", `program "${name}" needs agents with different names`, {
      program: name,
    });
  return {
    name,
    agents,
    async run(problem, context) {
      for (const agent of agents) modelOf(context, agent);
      const turns: Turn[] = [];
      const clock = episodeClock(context);
      let concluded: { readonly answer: Utterance | null } | undefined;
      const notes: string[] = [];
      const stage: Stage = {
        problem,
        shown: (agent) => problemText(seenBy(problem, agent)),
        turns,
        get budget() {
          return budgetView(context, turns);
        },
        conclude: (answer) => (concluded = { answer }),
        note: (text) => notes.push(text),
        say: (...lines) => sayTogether(lines, turns, context, clock, program.pass),
      };
      let limit: StopReason | null = null;
      try {
        await program.play(stage);
      } catch (error) {
        if (!(error instanceof Curtain)) throw error;
        limit = error.reason;
        if (error.error !== undefined) notes.push(error.error);
      }
      const chosen = concluded ? concluded.answer : program.answer(turns);
      const answer = chosen?.silent ? null : chosen; // silence is no answer
      const ending = limit ?? endingOf(answer);
      const episode = endEpisode(name, problem, turns, answer, ending, program.outputs?.(turns));
      return notes.length > 0 ? { ...episode, notes } : episode;
    },
  };
}

async function sayTogether(
  lines: readonly Line[],
  turns: Turn[],
  context: EpisodeContext,
  clock: EpisodeClock,
  pass: string | undefined,
): Promise<Turn[]> {
  const { speakers, limit, spent } = admit(lines, ({ agent }) => agent, turns, context.limits);
  const round = (turns.at(-1)?.call.round ?? -1) + 1;
  const first = turns.length;
  const earlier = [...turns];
  const taken = await takeTurns(
    context,
    clock,
    speakers.map(({ speaker: { reads = [], maxTokens: own, ...line }, maxTokens }, i) => ({
      ...line,
      turn: first + i,
      round,
      inbox: reads,
      earlier,
      maxTokens: Math.min(own, maxTokens, context.sampling.maxTokens ?? Infinity),
      ...(pass !== undefined && { pass }),
    })),
  );
  turns.push(...taken.turns);
  if (taken.ended) throw new Curtain(taken.ended, taken.error);
  if (limit) throw new Curtain(limit);
  // What a program does next depends on everybody it asked.
  if (spent.length > 0) throw new Curtain("token_limit");
  return [...taken.turns];
}
