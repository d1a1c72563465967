import {
  LaconicError,
  ledgerTotals,
  randomFromSeed,
  type AgentId,
  type Completion,
  type EpisodeContext,
  type Problem,
  type Topology,
} from "@laconic/core";
import { playReplayable } from "../replay.ts";
import { randomPolicy } from "./random-policy.ts";

/** Subject of the suite. */
export interface TopologySubject {
  readonly topology: Topology;
  /** Test problem; the suite's models reply with lower-case letters. */
  readonly problem: Problem;
  readonly edges: readonly { readonly from: AgentId; readonly to: AgentId }[];
}

/** Case of the suite; `run` throws if the topology fails. */
export interface TopologyCase {
  readonly name: string;
  readonly run: (create: () => TopologySubject) => Promise<void>;
}

/** Checks for every topology: `for (const item of topologyCases) test(item.name, () => item.run(create))`. */
export const topologyCases: readonly TopologyCase[] = [
  {
    name: "the ledger reconciles with what the models report",
    async run(create) {
      for (const seed of seeds) {
        const log: Completion[] = [];
        const subject = create();
        const episode = await runSubject(subject, seed, { log });
        const totals = ledgerTotals(episode.ledger);
        equal(totals.calls, log.length, "calls");
        equal(totals.calls, episode.utterances.length, "utterances");
        equal(totals.promptTokens, sum(log.map((c) => c.usage.promptTokens)), "prompt tokens");
        equal(totals.writtenTokens, sum(log.map((c) => c.usage.completionTokens)), "written tokens");
        episode.utterances.forEach((utterance, turn) => {
          const call = episode.ledger.calls[turn];
          equal([utterance.turn, call?.turn], [turn, turn], "turn numbers");
          equal([utterance.agent, utterance.round], [call?.agent, call?.round], "the speaker of a turn");
          equal(utterance.writtenTokens, call?.writtenTokens, "written tokens of a turn");
        });
      }
    },
  },
  {
    name: "the same seed gives the same episode, whichever model answers first",
    async run(create) {
      for (const seed of seeds) {
        const [first, second] = [create(), create()];
        const a = await runSubject(first, seed, { delay: (position) => position });
        const b = await runSubject(second, seed, { delay: (position) => 20 - position });
        equal(a, b, "episode");
      }
    },
  },
  {
    name: "another seed gives another episode",
    async run(create) {
      const a = await runSubject(create(), "a", { silence: 0 });
      const b = await runSubject(create(), "b", { silence: 0 });
      check(JSON.stringify(a) !== JSON.stringify(b), "two seeds gave the same episode");
    },
  },
  {
    name: "every read follows an edge, comes after the writing, and matches what was delivered",
    async run(create) {
      for (const seed of seeds) {
        const subject = create();
        const { utterances, ledger } = await runSubject(subject, seed);
        const edges = new Set(subject.edges.map(({ from, to }) => JSON.stringify([from, to])));
        for (const call of ledger.calls)
          for (const read of call.reads) {
            const written = utterances[read.turn];
            check(edges.has(JSON.stringify([read.from, call.agent])), `${read.from} -> ${call.agent} is not an edge`);
            check(read.turn < call.turn, `turn ${call.turn} reads turn ${read.turn}`);
            equal(written?.agent, read.from, "the writer of a read");
            equal(read.tokens, written?.text.length, "delivered tokens, the end token excluded");
            check(
              written?.deliveredTo.includes(call.agent) === true,
              `turn ${read.turn} hides its reader ${call.agent}`,
            );
          }
        for (const { agent, turn, deliveredTo } of utterances)
          for (const reader of deliveredTo)
            check(
              ledger.calls.some((call) => call.agent === reader && call.reads.some((read) => read.turn === turn)),
              `turn ${turn} of ${agent} claims the reader ${reader}`,
            );
      }
    },
  },
  {
    name: "a message reaches only agents with a path of edges",
    async run(create) {
      for (const speaker of create().topology.agents) {
        const subject = create();
        const before = await runSubject(subject, "path", { silence: 0 });
        const after = await runSubject(subject, "path", { silence: 0, moody: speaker });
        const reached = reachableFrom(speaker, subject.edges);
        before.utterances.forEach((utterance, turn) => {
          if (utterance.agent === speaker || reached.has(utterance.agent)) return;
          equal(after.utterances[turn]?.prompt, utterance.prompt, `the prompt of ${utterance.agent} after ${speaker}`);
          equal(after.utterances[turn]?.text, utterance.text, `the words of ${utterance.agent} after ${speaker}`);
        });
      }
    },
  },
  {
    name: "a replay keeps the replies that a change does not affect",
    async run(create) {
      for (const speaker of create().topology.agents) {
        const { topology, problem, edges } = create();
        const log: Completion[] = [];
        const { episode, replay } = await playReplayable(topology, problem, contextOf(topology, "replay", { log }));
        const calls = log.length;
        equal(await replay({}), episode, "a replay without a change");
        equal(log.length, calls, "calls of a replay without a change");
        const { utterances } = await replay({ silent: [speaker] });
        const reached = reachableFrom(speaker, edges);
        for (const { model } of log.slice(calls)) check(reached.has(model.id), `${model.id} was asked again`);
        for (const { agent, text } of utterances) if (agent === speaker) equal(text, "", `the words of ${speaker}`);
      }
    },
  },
  {
    name: "a silent team costs its end tokens and has no readers and no answer",
    async run(create) {
      const episode = await runSubject(create(), "silence", { silence: 1 });
      const totals = ledgerTotals(episode.ledger);
      equal(totals.writtenTokens, totals.calls, "one end token per call");
      equal(totals.readTokens, 0, "tokens read");
      equal([episode.answer, episode.stopReason], [null, "no_answer"], "the ending");
      for (const { silent, deliveredTo } of episode.utterances) equal([silent, deliveredTo], [true, []], "silence");
    },
  },
  {
    name: "limits are kept and named",
    async run(create) {
      const whole = await runSubject(create(), "limits", { silence: 0 });
      const turns = whole.utterances.length;
      const tokens = ledgerTotals(whole.ledger).writtenTokens;
      for (let maxTurns = 0; maxTurns < turns; maxTurns++) {
        const cut = await runSubject(create(), "limits", { silence: 0, limits: { maxTurns } });
        equal([cut.utterances.length, cut.stopReason], [maxTurns, "turn_limit"], `maxTurns ${maxTurns}`);
      }
      for (let maxTokens = 0; maxTokens < tokens; maxTokens++) {
        const cut = await runSubject(create(), "limits", { silence: 0, limits: { maxTokens } });
        check(ledgerTotals(cut.ledger).writtenTokens <= maxTokens, `maxTokens ${maxTokens} was passed`);
      }
      const roomy = await runSubject(create(), "limits", {
        silence: 0,
        limits: { maxTurns: turns, maxTokens: 1e6 },
      });
      equal(roomy, whole, "an episode within its limits");
    },
  },
  {
    name: "no agent passes its own limit",
    async run(create) {
      const whole = await runSubject(create(), "own limits", { silence: 0 });
      const most = Math.max(...Object.values(ledgerTotals(whole.ledger).writtenByAgent));
      for (let maxTokensPerAgent = 1; maxTokensPerAgent <= most; maxTokensPerAgent++) {
        const cut = await runSubject(create(), "own limits", { silence: 0, limits: { maxTokensPerAgent } });
        for (const [agent, written] of Object.entries(ledgerTotals(cut.ledger).writtenByAgent))
          check(written <= maxTokensPerAgent, `maxTokensPerAgent ${maxTokensPerAgent} was passed by ${agent}`);
      }
      const roomy = await runSubject(create(), "own limits", { silence: 0, limits: { maxTokensPerAgent: 1e6 } });
      equal(roomy, whole, "an episode within its limits");
    },
  },
  {
    name: "a model's error ends the run with that very error",
    async run(create) {
      const subject = create();
      const failure = new LaconicError("engine_failed", "the model is gone");
      const models = Object.fromEntries(
        subject.topology.agents.map((agent) => [agent, { id: agent, complete: () => Promise.reject(failure) }]),
      );
      const thrown = await caught(runSubject(subject, "error", { models }));
      check(thrown === failure, `it gave ${String(thrown)}`);
    },
  },
  {
    name: "a fired signal rejects with `aborted` before anyone speaks",
    async run(create) {
      const log: Completion[] = [];
      const signal = AbortSignal.abort();
      const thrown = await caught(runSubject(create(), "abort", { log, signal }));
      equal([LaconicError.is(thrown) && thrown.code, log.length], ["aborted", 0], "the refusal");
    },
  },
];

const seeds = [0, 1, 2, 3, 4, 5, 6, 7];

interface RunOptions extends Partial<EpisodeContext> {
  readonly silence?: number;
  readonly log?: Completion[];
  readonly delay?: (position: number) => number;
  readonly moody?: AgentId;
}

function runSubject({ topology, problem }: TopologySubject, seed: string | number, options?: RunOptions) {
  return topology.run(problem, contextOf(topology, seed, options));
}

function contextOf(topology: Topology, seed: string | number, options: RunOptions = {}): EpisodeContext {
  const { silence = 0.2, log = [], delay = () => 0, moody, ...context } = options;
  const models = topology.agents.map((agent, position) => {
    const salt = agent === moody ? "another mood" : "";
    return [agent, randomPolicy(agent, { silence, log, salt, delay: delay(position) })] as const;
  });
  return {
    models: Object.fromEntries(models),
    sampling: { temperature: 1 },
    random: randomFromSeed(seed),
    ...context,
  };
}

function reachableFrom(start: AgentId, edges: TopologySubject["edges"]): ReadonlySet<AgentId> {
  const reached = new Set<AgentId>();
  const visit = (id: AgentId): void => {
    for (const { from, to } of edges)
      if (from === id && !reached.has(to)) {
        reached.add(to);
        visit(to);
      }
  };
  visit(start);
  return reached;
}

async function caught(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function check(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(a === b, `${what}: ${a} instead of ${b}`);
}
