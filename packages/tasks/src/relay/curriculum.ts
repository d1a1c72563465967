import type { RelayLevel } from "./levels.ts";
import { relayTeacherSettings, type RelayTeacherSettings } from "./teacher.ts";

/** A stretch of the warm start: what is taught and how it is worded. Plain data. */
export interface WarmStartPhase {
  readonly name: string;
  /** Share of all warm-start steps; the shares of a curriculum add up to 1. */
  readonly share: number;
  /** Problems of this level; an early phase may hold fewer facts. */
  readonly level: RelayLevel;
  /** How the taught messages and answers are worded. */
  readonly spoken: RelayTeacherSettings;
  /** How the messages that the solver hears are worded. */
  readonly received: RelayTeacherSettings;
}

/** All styles alike and silence half of the time: a solver that understands terse holders before there are any. */
const anyStyle: RelayTeacherSettings = {
  messages: { verbose: 1 / 3, short: 1 / 3, terse: 1 / 3 },
  answers: relayTeacherSettings.answers,
  silence: 0.5,
};
/** Bare facts: a wrong lookup is felt in two of three tokens, not in two of twenty. */
const terse: RelayTeacherSettings = { ...relayTeacherSettings, messages: { verbose: 0, short: 0, terse: 1 } };

/**
 * How to teach a level from random weights. One fact per holder is learned at once. With more, the lookup of the
 * asked key is hidden behind the easier words of a sentence, so it comes first with one fact, then with terse wording.
 */
export function warmStartCurriculum(level: RelayLevel): readonly WarmStartPhase[] {
  const full: WarmStartPhase = {
    name: "all-styles",
    share: 1,
    level,
    spoken: relayTeacherSettings,
    received: anyStyle,
  };
  if (level.factsPerHolder === 1) return [full];
  return [
    { ...full, name: "one-fact-terse", share: 0.2, level: { ...level, factsPerHolder: 1 }, spoken: terse },
    { ...full, name: "terse", share: 0.5, spoken: terse },
    { ...full, share: 0.3 },
  ];
}
