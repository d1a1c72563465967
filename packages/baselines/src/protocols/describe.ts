import { protocolName } from "./protocol-for.ts";
import type { Phase, Protocol, StopRule, VoteRule } from "./protocol.ts";
import { scriptNameOf } from "./script.ts";

/** A protocol in words, for lists and tables: everything is derived from its settings. */
export interface ProtocolText {
  /** `php/choice@1` */
  readonly name: string;
  readonly questions: string;
  readonly calls: string;
  readonly temperature: string;
  /** Max tokens of a reply, where the caller sets none. */
  readonly ceiling: string;
  readonly shots: string;
  readonly roles: string;
  /** Samples, agents and rounds, where it has them. */
  readonly size: string;
  readonly stops: string;
  readonly votes: string;
  readonly hears: string;
  /** Among whom what a question states can be dealt, or why not. */
  readonly partition: string;
  readonly prompts: string;
  readonly answerLine: string;
  readonly source: string;
  /** How sure its settings are: `temperature C, calls A`. */
  readonly labels: string;
  /** `nothing` for a method of our own alone. */
  readonly differs: string;
}

/** A protocol in words. */
export function describeProtocol(protocol: Protocol): ProtocolText {
  const { families, benchmarks, calls, prompts, hears, answerLine, source, labels, differs, stops, votes } = protocol;
  const { samples, agents, rounds } = protocol;
  return {
    name: protocolName(protocol),
    questions: benchmarks ? benchmarks.join(", ") : families.join(", "),
    calls: calls.least === calls.most ? String(calls.most) : `${calls.least} to ${calls.most}`,
    temperature: temperatureText(protocol),
    ceiling: ceilingText(protocol),
    shots: shotsText(protocol),
    roles: rolesText(protocol),
    size: [
      samples !== undefined && `${samples} samples`,
      agents !== undefined && `${agents} agents`,
      rounds !== undefined && `${rounds} rounds`,
    ]
      .filter((part) => part !== false)
      .join(", "),
    stops: stopText(stops),
    votes: voteText(votes, samples),
    hears,
    partition: partitionText(protocol),
    prompts: prompts.join(" "),
    answerLine,
    source,
    labels: Object.entries(labels)
      .map(([setting, label]) => `${setting} ${label}`)
      .join(", "),
    differs: [wordingText(protocol), ...differs].filter((each) => each !== "").join(" ") || "nothing",
  };
}

/** Where published words are known, what stands for them without. */
function wordingText({ scripts = {}, own }: Protocol): string {
  const names = [...new Set(Object.values(scripts))];
  if (own) return "";
  return names.length === 0
    ? ownWords
    : `Without ${names.join(", ")}: wording and examples are ours. On benchmarks beside ${Object.keys(scripts).join(", ")}: the same.`;
}

function temperatureText({ temperature, phases }: Protocol): string {
  const others = Object.entries<Phase>(phases).flatMap(([name, phase]) =>
    phase.temperature === undefined ? [] : [`${name} ${phase.temperature}`],
  );
  return [String(temperature), ...others].join(", ");
}

function ceilingText(protocol: Protocol): string {
  const ceiling = replyCeiling(protocol);
  const others = Object.entries<Phase>(protocol.phases).flatMap(([name, { maxTokens = ceiling }]) =>
    maxTokens === ceiling ? [] : [`${name} ${maxTokens}`],
  );
  return [String(ceiling), ...others].join(", ");
}

function shotsText({ shots: { count, form, select } }: Protocol): string {
  if (count === 0) return "none";
  const what = { answers: "answers alone", chains: "worked", hints: "worked, with hints" }[form];
  const which = {
    seeded: "by seed",
    "most-steps": "those with most steps",
    "same-topic": "of the question's own topic",
  };
  return `${count} ${what}, ${which[select]}`;
}

function rolesText({ roles }: Protocol): string {
  return roles
    .map(({ slot, title, duty }) => [slot, title && `as ${title}`, duty && `("${duty}")`].filter(Boolean).join(" "))
    .join("; ");
}

function partitionText({ partition }: Protocol): string {
  return partition.kind === "among" ? `among ${partition.slots.join(" and ")}` : `not: ${partition.reason}`;
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

/** What a bench set for all methods, and what a method was shown. */
export interface PlayedWith {
  /** Of every call; null where each protocol had its own. */
  readonly temperature: number | null;
  readonly maxTokens: number;
  /** Examples that were shown; null where they were the script's own. */
  readonly shots: number | null;
  readonly benchmark?: string;
  /** The script that its requests were written with; null for our words. */
  readonly script?: string | null;
}

/** Tokens that a reply may have before its end is rarely missed: what most sources that set a ceiling set. */
const longReply = 1024;

/**
 * Max tokens of a reply that leave a method as published: the highest ceiling of its phases, 1,024 where one of them has none.
 * @param protocol - null for a team that is not published
 */
export function replyCeiling(protocol: Pick<Protocol, "phases"> | null): number {
  const phases: readonly Phase[] = Object.values(protocol?.phases ?? {});
  return phases.length === 0 ? longReply : Math.max(...phases.map(({ maxTokens = longReply }) => maxTokens));
}

/** All that is not as published, a sentence each: what the protocol itself says, and what the run's settings changed. Empty for a faithful run. */
export function departures(protocol: Protocol, played: PlayedWith): string[] {
  const { temperature, maxTokens, shots } = played;
  const phases: readonly Phase[] = Object.values(protocol.phases);
  const temperatures = [...new Set(phases.map((phase) => phase.temperature ?? protocol.temperature))];
  const ceilings = phases.flatMap((phase) => phase.maxTokens ?? []);
  const ceiling = Math.max(0, ...ceilings);
  const uncut = ceilings.length < phases.length && maxTokens < longReply;
  const changed = [
    temperature !== null &&
      temperatures.some((each) => each !== temperature) &&
      `Temperature ${temperature} instead of ${temperatures.join(" and ")}.`,
    uncut && `Replies of at most ${maxTokens} tokens, where the paper cuts none.`,
    !uncut && maxTokens < ceiling && `Replies of at most ${maxTokens} tokens instead of ${ceiling}.`,
    shots !== null && shots !== protocol.shots.count && `${shots} worked examples instead of ${protocol.shots.count}.`,
  ];
  return [...wordingDepartures(protocol, played), ...protocol.differs, ...changed.filter((each) => each !== false)];
}

/** Said of every method whose published words are not known here. */
export const ownWords = "The wording of its requests is ours.";

/** Whose words its requests are, where they are not the authors'. */
function wordingDepartures(protocol: Protocol, { benchmark, script = null }: PlayedWith): string[] {
  if (protocol.own) return [];
  const published = scriptNameOf(protocol, benchmark);
  if (published === null) return [ownWords];
  return published === script ? [] : [`Wording and examples are ours instead of those of ${published}.`];
}
