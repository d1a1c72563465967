import { randomFromSeed } from "@laconic/core";
import { collections } from "./collections.ts";
import { expressions } from "./expressions.ts";
import { framed } from "./frames.ts";
import { functions } from "./functions.ts";
import { measures } from "./measures.ts";
import { numbers } from "./numbers.ts";
import { relations } from "./relations.ts";
import { drawFrom, type BoardRow, type Said, type Template } from "./row.ts";
import { words } from "./words.ts";
import { written } from "./written.ts";

/** A pair whose two sides are also known in SymPy's notation. */
export interface SympyPair {
  readonly id: string;
  readonly gold: string;
  readonly answer: string;
  readonly equal: boolean;
}

/** A board, and what of it SymPy can check. */
export interface Board {
  readonly rows: readonly BoardRow[];
  readonly checks: readonly SympyPair[];
}

const templates: readonly Template[] = [
  ...numbers,
  ...measures,
  ...expressions,
  ...functions,
  ...collections,
  ...relations,
  ...words,
];

/** The seed of the board that is committed. */
export const boardSeed = "grader-board-1";

/**
 * The pairs that were written by hand, and `rounds` items of every template with a right and a wrong answer each.
 * @param seed - another one gives other pairs
 */
export function boardOf(seed: string, rounds = 25): Board {
  const [rows, checks]: [BoardRow[], SympyPair[]] = [[], []];
  for (const { kind, rule, tag, gold, right, wrong } of written)
    for (const [verdict, answers] of [
      [true, right],
      [false, wrong],
    ] as const)
      for (const said of answers)
        rows.push({
          id: `h-${rows.length + 1}`,
          kind,
          gold,
          prediction: replyOf(said),
          verdict,
          rule,
          tags: [tag, "by hand"],
        });
  for (const template of templates) {
    const draw = drawFrom(randomFromSeed(`${seed}/${template.tag}`));
    const { kind, rule, tag } = template;
    for (let round = 1; round <= rounds; round++) {
      const { gold, sympy, right, wrong } = template.make(draw);
      for (const verdict of [true, false]) {
        const said = draw.pick(verdict ? right : wrong);
        const id = `${tag.replaceAll(" ", "-")}-${round}${verdict ? "r" : "w"}`;
        const whole = typeof said === "object" && "reply" in said;
        const prediction = whole ? said.reply : framed(kind, replyOf(said), draw);
        rows.push({ id, kind, gold, prediction, verdict, rule, tags: [tag] });
        if (sympy !== undefined && Array.isArray(said))
          checks.push({ id, gold: sympy, answer: said[1] as string, equal: verdict });
      }
    }
  }
  return { rows, checks };
}

function replyOf(said: Said): string {
  if (typeof said === "string") return said;
  return "reply" in said ? said.reply : said[0];
}
