import { protocolName } from "./protocol-for.ts";
import type { Phase, Protocol, StopRule, VoteRule } from "./protocol.ts";
import { scriptNameOf } from "./script.ts";

/** Text for lists and tables, derived from settings. */
export interface ProtocolText {
  /** `php/choice@1` */
  readonly name: string;
  readonly questions: string;
  readonly calls: string;
  readonly temperature: string;
  /** Max reply tokens. */
  readonly ceiling: string;
  readonly shots: string;
  /** Samples, agents and rounds. */
  readonly size: string;
  readonly stops: string;
  readonly votes: string;
  /** Slots that share a dealt question, or why none do. */
  readonly partition: string;
  /** `nothing` for our own method. */
  readonly differs: string;
}

/** Describes a protocol. */
export function describeProtocol(protocol: Protocol): ProtocolText {
  const { families, benchmarks, calls, differs, stops, votes } = protocol;
  const { samples, agents, rounds, temperature, shots, partition } = protocol;
  const ceiling = replyCeiling(protocol);
  const phases = Object.entries<Phase>(protocol.phases);
  const others = (setting: "temperature" | "maxTokens", usual: number): string[] =>
    phases.flatMap(([name, { [setting]: value = usual }]) => (value === usual ? [] : [`${name} ${value}`]));
  return {
    name: protocolName(protocol),
    questions: (benchmarks ?? families).join(", "),
    calls: calls.least === calls.most ? String(calls.most) : `${calls.least} to ${calls.most}`,
    temperature: [temperature, ...others("temperature", temperature)].join(", "),
    ceiling: [ceiling, ...others("maxTokens", ceiling)].join(", "),
    shots: shots.count === 0 ? "none" : `${shots.count} ${shotForms[shots.form]}, ${shotChoices[shots.select]}`,
    size: Object.entries({ samples, agents, rounds })
      .flatMap(([unit, count]) => (count === undefined ? [] : [`${count} ${unit}`]))
      .join(", "),
    stops: stopText(stops),
    votes: voteText(votes, samples),
    partition: partition.kind === "among" ? `among ${partition.slots.join(" and ")}` : `not: ${partition.reason}`,
    differs: [wordingText(protocol), ...differs].filter((text) => text !== "").join(" ") || "nothing",
  };
}

const shotForms = { answers: "answers alone", chains: "worked", hints: "worked, with hints" };
const shotChoices = {
  seeded: "by seed",
  "most-steps": "those with most steps",
  "same-topic": "of the question's own topic",
};

function wordingText({ scripts = {}, own }: Protocol): string {
  const names = [...new Set(Object.values(scripts))];
  if (own) return "";
  return names.length === 0
    ? ownWords
    : `Without ${names.join(", ")}: wording and examples are ours. On benchmarks beside ${Object.keys(scripts).join(", ")}: the same.`;
}

function stopText(stops: StopRule): string {
  switch (stops.kind) {
    case "fixed":
      return "after all its calls";
    case "equal-answers":
      return `when the last ${stops.last} answers are equal`;
    case "verdict":
      return `when the critic says "${stops.says}"`;
    case "consensus":
      return `when more than ${stops.above.toFixed(2)} of the agents agree`;
    case "moderator":
      return "when the moderator names an answer";
  }
}

function voteText(votes: VoteRule, samples: number | undefined): string {
  switch (votes.kind) {
    case "last":
      return "the last answer";
    case "likeliest":
      return "the likeliest option";
    case "plurality":
      return votes.kept === undefined ? "most votes" : `most votes of the ${votes.kept} of ${samples} with most steps`;
    case "decision":
      return `what the ${votes.slot} says`;
  }
}

interface PlayedWith {
  /** Null: each protocol's. */
  readonly temperature: number | null;
  readonly maxTokens: number;
  /** Null for the script's. */
  readonly shots: number | null;
  readonly benchmark?: string;
  /** Null for our prompts. */
  readonly script?: string | null;
}

/** Usual limit in sources; few replies need more. */
const longReply = 1024;

/**
 * Max reply tokens that keep a method as published: its phases' highest limit, or 1,024 if one has none.
 * @param protocol - null for an unpublished team
 */
export function replyCeiling(protocol: Pick<Protocol, "phases"> | null): number {
  const phases: readonly Phase[] = Object.values(protocol?.phases ?? {});
  return phases.length === 0 ? longReply : Math.max(...phases.map(({ maxTokens = longReply }) => maxTokens));
}

/** Difference of methods without published prompts. */
export const ownWords = "Prompts differ: ours, as none are published.";

/** Differences from the published method, one sentence each. */
export function departures(protocol: Protocol, played: PlayedWith): string[] {
  const { temperature, maxTokens, shots, benchmark, script = null } = played;
  const phases: readonly Phase[] = Object.values(protocol.phases);
  const temperatures = [...new Set(phases.map((phase) => phase.temperature ?? protocol.temperature))];
  const ceilings = phases.flatMap((phase) => phase.maxTokens ?? []);
  const ceiling = Math.max(0, ...ceilings);
  const uncut = ceilings.length < phases.length && maxTokens < longReply;
  const wording = scriptNameOf(protocol, benchmark);
  const differences = [
    !protocol.own && wording === null && ownWords,
    !protocol.own &&
      wording !== null &&
      wording !== script &&
      "Prompts differ: ours (run `laconic data get --exemplars`).",
    ...protocol.differs,
    temperature !== null &&
      temperatures.some((own) => own !== temperature) &&
      `Temperature differs: ${temperature}, published ${temperatures.join(" and ")}.`,
    uncut && `Reply limit differs: ${maxTokens} tokens, published none.`,
    !uncut && maxTokens < ceiling && `Reply limit differs: ${maxTokens} tokens, published ${ceiling}.`,
    shots !== null &&
      shots !== protocol.shots.count &&
      `Worked examples differ: ${shots}, published ${protocol.shots.count}.`,
  ];
  return differences.filter((text) => text !== false);
}
