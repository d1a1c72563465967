import { readFileSync } from "node:fs";
import { casesOf, type BoardItem } from "../../src/board/board-report.ts";
import type { GradedCase } from "../../src/index.ts";

/** Pairs written and labelled before the grader was measured on them. */
export function testPairs(): GradedCase[] {
  const lines = readFileSync(new URL("./test-pairs.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const items = lines.map((line) => JSON.parse(line) as BoardItem);
  const cases = items.flatMap((item) => casesOf(item, [item.tag]));
  return cases.map((item, i) => ({ ...item, id: `o-${i + 1}` }));
}
