import type { Phase, Protocol } from "./protocol.ts";
import { scriptNameOf } from "./script.ts";

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
