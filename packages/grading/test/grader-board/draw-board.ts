import { readFileSync } from "node:fs";
import { randomFromSeed } from "@laconic/core";
import type { GradedCase } from "../../src/index.ts";

/** Answer to insert into a reply, optionally in SymPy's notation too; or the complete reply. */
type WrittenAnswer = string | readonly [answer: string, sympy: string] | { readonly reply: string };

interface FamilyItem {
  readonly kind: "maths" | "numeric" | "letter" | "text";
  readonly rule: string;
  readonly tag: string;
  readonly gold: string;
  /** Gold in SymPy's notation, to check the verdict on answers that also have it. */
  readonly sympy?: string;
  readonly right: readonly WrittenAnswer[];
  readonly wrong: readonly WrittenAnswer[];
}

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
/** Replies around an answer: `«answer»` is replaced by it, `«2-9»` by a number in that range. */
const frames = JSON.parse(text("frames.json")) as Readonly<Record<FamilyItem["kind"], readonly string[]>>;

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
      const message = pick(verdict ? right : wrong);
      const whole = typeof message === "object" && "reply" in message;
      const prediction = whole ? message.reply : framed(kind, typeof message === "string" ? message : message[0]);
      rows.push({ id, kind, gold, prediction, verdict, rule, tags: [tag] });
      if (sympy !== undefined && typeof message === "object" && !whole)
        checks.push({ id, gold: sympy, answer: message[1], equal: verdict });
    }
  });
  return { rows, checks };
}

function text(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}
