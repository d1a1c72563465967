import { readFileSync } from "node:fs";
import type { GradedCase } from "../../src/index.ts";

interface PairItem {
  readonly kind: GradedCase["kind"];
  readonly rule: string;
  readonly tag: string;
  readonly gold: string;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

/** Pairs written and labelled before the grader was measured on them. */
export function testPairs(): GradedCase[] {
  const lines = readFileSync(new URL("./test-pairs.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const cases = lines.flatMap((line) => {
    const { kind, rule, tag, gold, right, wrong } = JSON.parse(line) as PairItem;
    const labelled = (verdict: boolean) => (prediction: string) => ({
      kind,
      gold,
      prediction,
      verdict,
      rule,
      tags: [tag],
    });
    return [...right.map(labelled(true)), ...wrong.map(labelled(false))];
  });
  return cases.map((item, i) => ({ ...item, id: `o-${i + 1}` }));
}
