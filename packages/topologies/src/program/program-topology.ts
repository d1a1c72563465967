import {
  LaconicError,
  type AgentId,
  type Episode,
  type EpisodeContext,
  type Problem,
  type Random,
  type StopReason,
  type Topology,
  type Utterance,
} from "@laconic/core";
import { endEpisode, endingOf } from "../end-episode.ts";
import { admit } from "../limits.ts";
import { budgetView } from "../budgeted.ts";
import { problemText } from "../prompts/template.ts";
import { modelOf } from "../speak.ts";
import type { SpeakRequest, Turn } from "../turn.ts";
import { episodeClock, takeTurns, type EpisodeClock } from "../take-turns.ts";
import { seenBy, type BudgetView, type ReceivedMessage } from "../view.ts";

/** Request to an agent. */
export interface Line extends Pick<
  SpeakRequest,
  "agent" | "prompt" | "maxTokens" | "temperature" | "stop" | "renderPrompt"
> {
  /** Recorded as reads. */
  readonly reads?: readonly ReceivedMessage[];
}

/** State and methods for a program. */
export interface Stage {
  readonly problem: Problem;
  /** Question with the private part. */
  shown(agent: AgentId): string;
  readonly turns: readonly Turn[];
  readonly budget?: BudgetView | undefined;
  /** The episode's stream for choices of the program. */
  readonly random: Random;
  /** Speaks lines concurrently. */
  say(...lines: readonly Line[]): Promise<Turn[]>;
  /** Sets the answer, in place of `Program.answer`. */
  conclude(answer: Utterance | null): void;
  note(text: string): void;
}

/** Its turns depend on earlier replies. */
export interface Program {
  readonly name: string;
  readonly agents: readonly AgentId[];
  play(stage: Stage): Promise<void>;
  readonly pass?: string;
  /** Called even if a limit ended the play. */
  answer(turns: readonly Turn[]): Utterance | null;
  outputs?(turns: readonly Turn[]): Episode["outputs"];
}

class Curtain {
  readonly reason: StopReason;
  readonly error: string | undefined;
  constructor(reason: StopReason, error?: string) {
    this.reason = reason;
    this.error = error;
  }
}

/**
 * Turns a program into a topology.
 * @throws LaconicError `topology_invalid` without agents; `run` throws model errors and `aborted`
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
        random: context.random.split("program"),
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
      const answer = chosen?.silent ? null : chosen;
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
    speakers.map(({ speaker: { reads = [], maxTokens: max, ...line }, maxTokens }, i) => ({
      ...line,
      turn: first + i,
      round,
      inbox: reads,
      earlier,
      maxTokens: Math.min(max, maxTokens, context.sampling.maxTokens ?? Infinity),
      ...(pass !== undefined && { pass }),
    })),
  );
  turns.push(...taken.turns);
  if (taken.ended) throw new Curtain(taken.ended, taken.error);
  if (limit) throw new Curtain(limit);
  if (spent.length > 0) throw new Curtain("token_limit");
  return [...taken.turns];
}
