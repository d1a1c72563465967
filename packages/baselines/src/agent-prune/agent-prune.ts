import { LaconicError, type Topology } from "@laconic/core";
import { type Turn, programTopology, quote } from "@laconic/topologies";
import { z } from "zod";
import type { Baseline, BaselineOptions, Calibration } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { pluralityOf } from "../vote.ts";
import {
  edgesOf,
  pruneGraph,
  spatialMask,
  temporalMask,
  wholeGraph,
  type EdgeSet,
  type SpatialStart,
} from "./edges.ts";
import { learnDefaults, learnMasks } from "./learn-masks.ts";

/** Roles for questions of all kinds; the released code has others for each benchmark. */
const roles = [
  "Knowledgeable Expert",
  "Critic",
  "Mathematician",
  "Psychologist",
  "Historian",
  "Doctor",
  "Lawyer",
  "Economist",
  "Programmer",
] as const;

/** Share of edges that stay; the paper's p is not given, the released one-shot command drops half. */
const keptShare = 0.5;

/**
 * AgentPrune: five agents, two rounds, everybody heard along a graph; the graph's edges are learned on calibration questions,
 * pruned once, and fixed. Without calibration it is the unpruned team. The released code trains on test questions and
 * goes on drawing edges (`agentprune/train-on-test`, `agentprune/keep-sampling`); here neither happens.
 */
export function agentPrune(start: SpatialStart): Baseline {
  const letter = start[0]?.toUpperCase() ?? "";
  const masks = (count: number) => ({ spatial: spatialMask(count, start, 0), temporal: temporalMask(count) });
  return {
    name: `agentprune-${letter.toLowerCase()}`,
    title: `AgentPrune-${letter}`,
    source:
      "Zhang et al. 2025 (arXiv 2410.02506), one-shot pruning; AgentPrune@c544dd6a for what the paper leaves open",
    calls: "agents x rounds + 1, 5 x 2 + 1 unless told; calibration apart",
    temperature: 1,
    create: (options) => {
      const { spatial, temporal } = masks(options.agents ?? 5);
      return graphTeam(options, wholeGraph(spatial, temporal));
    },
    restore,
    calibrate: (options, calibration) => calibrate(options, calibration, masks(options.agents ?? 5)),
    calibrationPlays: learnDefaults.samples * learnDefaults.passes,
    mostCalls: ({ agents = 5, rounds = 2 }) => agents * rounds + 1,
    // Within a round a graph has no cycle; between rounds everybody may hear everybody; the decision hears all.
    mostCopies: ({ agents = 5, rounds = 2 }) => ({
      questions: agents * rounds + 1,
      examples: 0,
      replies: (rounds * agents * (agents - 1)) / 2 + (rounds - 1) * agents ** 2 + agents,
    }),
  };
}

/** What calibration leaves: the edges that stayed, by number of the agents. */
const learnedSchema = z.object({
  agents: z.int().min(1),
  spatial: z.array(z.tuple([z.int().min(0), z.int().min(0)])),
  temporal: z.array(z.tuple([z.int().min(0), z.int().min(0)])),
  utilities: z.array(z.number()),
});

async function calibrate(
  options: BaselineOptions,
  { questions, utility, seed }: Calibration,
  { spatial, temporal }: EdgeSet,
): Promise<z.infer<typeof learnedSchema>> {
  const play = (question: number, edges: EdgeSet): Promise<number> => utility(question, graphTeam(options, edges));
  const learned = await learnMasks(spatial, temporal, questions, play, { seed });
  const edges = pruneGraph(spatial, temporal, learned, keptShare);
  const pairs = (mask: EdgeSet["spatial"]): [number, number][] => edgesOf(mask).map(({ from, to }) => [from, to]);
  return {
    agents: spatial.length,
    spatial: pairs(edges.spatial),
    temporal: pairs(edges.temporal),
    utilities: [...learned.utilities],
  };
}

function restore(options: BaselineOptions, learned: unknown): Topology {
  const parsed = learnedSchema.safeParse(learned);
  if (!parsed.success)
    throw new LaconicError("data_invalid", "what was learned is no pruned graph of AgentPrune; calibrate again");
  const { agents, spatial, temporal } = parsed.data;
  const mask = (pairs: readonly (readonly [number, number])[]): boolean[][] => {
    const rows = Array.from({ length: agents }, () => Array.from({ length: agents }, () => false));
    for (const [from, to] of pairs) if (rows[from] && to < agents) rows[from][to] = true;
    return rows;
  };
  return graphTeam({ ...options, agents }, { spatial: mask(spatial), temporal: mask(temporal) });
}

/** A team that talks along fixed edges, round by round, each agent once it has heard its predecessors; then a decision. */
function graphTeam(
  { reader, answerForm, maxTokens, agents: count = 5, rounds = 2 }: BaselineOptions,
  { spatial, temporal }: EdgeSet,
): Topology {
  const ids = Array.from({ length: count }, (_, i) => `agent-${i + 1}`);
  const before = (mask: EdgeSet["spatial"], to: number): number[] =>
    edgesOf(mask).flatMap((edge) => (edge.to === to ? [edge.from] : []));
  return programTopology({
    name: "agentprune",
    agents: [...ids, "decision"],
    play: async (stage) => {
      const { question } = stage.problem;
      let last: (Turn | undefined)[] = [];
      for (let round = 0; round < rounds; round++) {
        const said: (Turn | undefined)[] = ids.map(() => undefined);
        for (const wave of wavesOf(spatial)) {
          const lines = wave.map((i) => {
            const heard = [
              ...(round === 0 ? [] : before(temporal, i).map((from) => last[from])),
              ...before(spatial, i).map((from) => said[from]),
            ].filter((turn) => turn !== undefined);
            const others = heard
              .map(({ utterance }) => `Agent ${utterance.agent} wrote:\n${quote(utterance.text)}`)
              .join("\n\n");
            const system = `You are a ${roles[i % roles.length]}. ${stepByStep} ${answerForm}`;
            return {
              agent: ids[i] as string,
              prompt: chat(system, others === "" ? question : `${question}\n\n${others}`),
              reads: heard.map(({ message }) => message),
              maxTokens,
            };
          });
          const turns = await stage.say(...lines);
          wave.forEach((i, position) => (said[i] = turns[position]));
        }
        last = said;
      }
      const final = last.filter((turn) => turn !== undefined);
      const replies = final
        .map(({ utterance }) => `Agent ${utterance.agent} wrote:\n${quote(utterance.text)}`)
        .join("\n\n");
      await stage.say({
        agent: "decision",
        prompt: chat(`Decide on the answer from what the agents wrote. ${answerForm}`, `${question}\n\n${replies}`),
        reads: final.map(({ message }) => message),
        maxTokens,
      });
    },
    answer: (turns) => {
      const decided = turns.findLast(({ call }) => call.agent === "decision");
      if (decided && reader.read(decided.utterance.text) !== null) return decided.utterance;
      const replies = turns.filter(({ call }) => call.agent !== "decision").slice(-count);
      return pluralityOf(replies, reader);
    },
  });
}

/** Agents in the order in which they may speak: a wave has heard all its predecessors. */
function wavesOf(spatial: EdgeSet["spatial"]): number[][] {
  const waiting = new Set(spatial.map((_, i) => i));
  const waves: number[][] = [];
  while (waiting.size > 0) {
    const wave = [...waiting].filter((to) => ![...waiting].some((from) => spatial[from]?.[to]));
    for (const i of wave) waiting.delete(i);
    waves.push(wave);
  }
  return waves;
}
