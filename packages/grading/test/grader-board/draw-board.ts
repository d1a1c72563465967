import { readFileSync } from "node:fs";
import { randomFromSeed } from "@laconic/core";
import type { GradedCase } from "../../src/index.ts";

/** An answer to put into a reply; with the same in SymPy's notation; or the whole reply, as it is. */
type Said = string | readonly [answer: string, sympy: string] | { readonly reply: string };

/** A gold of a family, answers that say the same, and answers that do not. */
interface FamilyItem {
  readonly kind: "maths" | "numeric" | "letter" | "text";
  readonly rule: string;
  readonly tag: string;
  readonly gold: string;
  /** The gold in SymPy's notation: the verdict on answers that have theirs is then checked. */
  readonly sympy?: string;
  readonly right: readonly Said[];
  readonly wrong: readonly Said[];
}

/** A pair whose two sides are also known in SymPy's notation. */
interface SympyPair {
  readonly id: string;
  readonly gold: string;
  readonly answer: string;
  readonly equal: boolean;
}

const families = text("families.jsonl")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as FamilyItem);
/** Replies around an answer: `«answer»` is replaced by it, `«2-9»` by a number of that range. */
const frames = JSON.parse(text("frames.json")) as Readonly<Record<FamilyItem["kind"], readonly string[]>>;

/** Other pairs of the board's families than the committed ones: a right and a wrong reply of each of their items. */
export function drawBoard(seed: string): { rows: GradedCase[]; checks: SympyPair[] } {
  const { uniform } = randomFromSeed(`grader-board/${seed}`);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(uniform() * items.length)] as T;
  const framed = (kind: FamilyItem["kind"], answer: string): string =>
    pick(frames[kind])
      .replaceAll(/«(\d+)-(\d+)»/gu, (_, low: string, high: string) =>
        String(Number(low) + Math.floor(uniform() * (Number(high) - Number(low) + 1))),
      )
      .replaceAll("«answer»", () => answer);
  const rows: GradedCase[] = [];
  const checks: SympyPair[] = [];
  families.forEach(({ kind, rule, tag, gold, sympy, right, wrong }, i) => {
    for (const verdict of [true, false]) {
      const id = `${tag.replaceAll(" ", "-")}-${i + 1}${verdict ? "r" : "w"}`;
      const said = pick(verdict ? right : wrong);
      const whole = typeof said === "object" && "reply" in said;
      const prediction = whole ? said.reply : framed(kind, typeof said === "string" ? said : said[0]);
      rows.push({ id, kind, gold, prediction, verdict, rule, tags: [tag] });
      if (sympy !== undefined && typeof said === "object" && !whole)
        checks.push({ id, gold: sympy, answer: said[1], equal: verdict });
    }
  });
  return { rows, checks };
}

function text(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}
