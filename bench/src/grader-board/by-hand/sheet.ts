import type { Kind, Written } from "../row.ts";
import type { RuleName } from "../rules.ts";

/** Gold, right replies, wrong replies. */
export type Line = readonly [gold: string, right: readonly string[], wrong: readonly string[]];

/** Items under one rule; every reply is taken as it stands. */
export function sheet(kind: Kind, rule: RuleName, tag: string, ...lines: readonly Line[]): Written[] {
  return lines.map(([gold, right, wrong]) => ({ kind, rule, tag, gold, right, wrong }));
}

/** The same, each answer in a box. */
export function boxed(kind: Kind, rule: RuleName, tag: string, ...lines: readonly Line[]): Written[] {
  const box = (answer: string): string => `\\boxed{${answer}}`;
  return sheet(kind, rule, tag, ...lines.map(([gold, right, wrong]): Line => [gold, right.map(box), wrong.map(box)]));
}
