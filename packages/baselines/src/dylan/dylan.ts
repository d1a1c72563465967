import { dataError } from "@laconic/core";
import { z } from "zod";
import type { Baseline, MethodSize, PromptCopies } from "../protocols/baseline.ts";
import { toolBytes } from "../code/run-tests.ts";
import { methodOf } from "../playing/method-of.ts";
import { protocolsOf, protocolFor } from "../protocols/protocol-for.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";
import { dylanDebate } from "./debate.ts";
import type { DylanPhase } from "./team.ts";
import { dylanWriters } from "./writers.ts";

const dylanProtocols = protocolsOf<DylanPhase>("dylan");

/** Only MMLU has more candidates than agents. */
const dylanSelectProtocols = dylanProtocols.map((protocol): Protocol<DylanPhase> => {
  const chooses = protocol.families.includes("choice");
  return {
    ...protocol,
    id: protocol.id.replace("dylan", "dylan:selected"),
    published: null,
    partition: {
      kind: "whole",
      reason: "Its team is chosen on questions that more candidates than its agents have seen.",
    },
    // Max 11 calls with four agents, 17 while all seven are tested.
    ...(chooses && { agents: 4, calls: { least: 3, most: 17 }, labels: { ...protocol.labels, agents: "K" } }),
    differs: [
      ...protocol.differs,
      chooses
        ? "Four of the seven play the test: how many do so in the paper was not checked."
        : "There are no more candidates than agents: nobody is chosen, and nothing is asked for it.",
    ],
  };
});

/**
 * DyLAN's inference. It runs the ranked agents, where the released code runs agents by position
 * (`dylan/position-mask`).
 */
export const dylan: Baseline = played("dylan", "DyLAN", dylanProtocols, agentsOf);

/** DyLAN's team optimisation: calibration selects the most important candidates. */
export const dylanSelect: Baseline = {
  ...played("dylan:selected", "DyLAN, selected team", dylanSelectProtocols, (protocol, size) =>
    Math.max(agentsOf(protocol, size), playersOf(protocol).length),
  ),
  calibrate: async (options, { questions, utility }) => {
    const protocol = protocolFor(dylanSelectProtocols, options);
    const candidates = playersOf(protocol);
    const count = agentsOf(protocol, options);
    const importance = candidates.map(() => 0);
    if (count >= candidates.length)
      return { importance, agents: Array.from({ length: count }, (_, i) => i % candidates.length) };
    for (let question = 0; question < questions; question++) {
      const onImportance = (scores: ReadonlyMap<string, number>): void => {
        for (const i of candidates.keys())
          importance[i] = importance[i]! + (scores.get(`agent-${i + 1}`) ?? 0) / questions;
      };
      const team = playOf(protocol)({ protocol, options, roles: candidates, onImportance });
      await utility(question, team);
    }
    const order = [...candidates.keys()].toSorted((a, b) => importance[b]! - importance[a]!);
    return { importance, agents: order.slice(0, count).toSorted((a, b) => a - b) };
  },
  restore: (options, learned) => {
    const protocol = protocolFor(dylanSelectProtocols, options);
    const parsed = selectedSchema.safeParse(learned);
    const chosen = parsed.success ? parsed.data.agents : [];
    const roles = chosen.flatMap((i): Role[] => playersOf(protocol).slice(i, i + 1));
    if (roles.length === 0 || roles.length < chosen.length)
      throw dataError("the calibration is not a DyLAN team; calibrate again");
    return playOf(protocol)({ protocol, options, roles });
  },
};

const selectedSchema = z.object({ importance: z.array(z.number()), agents: z.array(z.int().min(0)).min(1) });

/** @param most - agents of the largest team */
function played(
  name: string,
  title: string,
  protocols: readonly Protocol<DylanPhase>[],
  most: (protocol: Protocol, size: MethodSize) => number,
): Baseline {
  return methodOf({
    name,
    title,
    protocols,
    create: (protocol, options) => playOf(protocol)({ protocol, options, roles: teamOf(protocol, options) }),
    maxCalls: (protocol, size) => maxCalls(protocol, most(protocol, size)),
    maxCopies: (protocol, size) => maxCopies(protocol, most(protocol, size)),
  });
}

function playOf(protocol: Protocol): typeof dylanDebate {
  return writes(protocol) ? dylanWriters : dylanDebate;
}

function writes({ families }: Protocol): boolean {
  return families.includes("code");
}

function playersOf({ roles }: Protocol): Role[] {
  return roles.filter(({ slot }) => /^(?:agent|writer)/u.test(slot));
}

function teamOf(protocol: Protocol, size: MethodSize): Role[] {
  const roles = playersOf(protocol);
  return Array.from({ length: agentsOf(protocol, size) }, (_, i) => roles[i % roles.length]!);
}

function agentsOf(protocol: Protocol, size: MethodSize): number {
  return size.agents ?? protocol.agents ?? playersOf(protocol).length;
}

function maxCalls(protocol: Protocol, agents: number): number {
  if (!writes(protocol)) return 2 * agents + (agents > 3 ? 3 : agents);
  return 2 * agents + 6 + (agents > 2 ? 3 : agents);
}

function maxCopies(protocol: Protocol, agents: number): PromptCopies {
  const calls = maxCalls(protocol, agents);
  // Agents read the whole previous layer. The last two of identical agents read only each other.
  if (!writes(protocol)) {
    const unread = protocol.roles.length === 1 && agents > 3 ? 2 * (agents - 2) : 0;
    return { questions: calls, examples: calls, replies: agents * (calls - agents) - unread };
  }
  const later = agents + (agents > 2 ? 2 : agents);
  const shown = Math.min(agents, 2);
  // A ranker and, twice, two judges read all programs. A writer reads two, their tests and reflections.
  return {
    questions: calls,
    examples: 0,
    replies: (agents > 2 ? agents : 0) + 4 * agents + later * (3 * shown),
    toolBytes: later * shown * 11 * toolBytes,
  };
}
