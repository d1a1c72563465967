import type { Phase, Protocol } from "./protocol.ts";

/** What a bench set for all methods, and what a method was shown. */
export interface PlayedWith {
  /** Of every call; null where each protocol had its own. */
  readonly temperature: number | null;
  readonly maxTokens: number;
  /** Worked examples that were shown. */
  readonly shots: number;
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
export function departures(protocol: Protocol, { temperature, maxTokens, shots }: PlayedWith): string[] {
  const phases: readonly Phase[] = Object.values(protocol.phases);
  const temperatures = [...new Set(phases.map((phase) => phase.temperature ?? protocol.temperature))];
  const ceilings = phases.flatMap((phase) => phase.maxTokens ?? []);
  const ceiling = Math.max(0, ...ceilings);
  const uncut = ceilings.length === 0 && maxTokens < longReply;
  const changed = [
    temperature !== null &&
      temperatures.some((each) => each !== temperature) &&
      `Temperature ${temperature} instead of ${temperatures.join(" and ")}.`,
    uncut && `Replies of at most ${maxTokens} tokens, where the paper cuts none.`,
    !uncut && maxTokens < ceiling && `Replies of at most ${maxTokens} tokens instead of ${ceiling}.`,
    shots !== protocol.shots.count && `${shots} worked examples instead of ${protocol.shots.count}.`,
  ];
  return [...protocol.differs, ...changed.filter((each) => each !== false)];
}
