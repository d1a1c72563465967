import { readFile } from "node:fs/promises";
import { boundedJson } from "@laconic/core/json";
import type { GradedCase } from "../graded-case.ts";

/** A gold with replies that are right and replies that are wrong, under one of the board's rules. */
interface BoardItem {
  readonly kind: GradedCase["kind"];
  readonly rule: string;
  readonly tag: string;
  readonly gold: string;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

/** The grader's own labelled pairs: those written by hand, then one right and one wrong reply of every drawn item. */
export async function graderBoard(): Promise<GradedCase[]> {
  const byHand = (await itemsOf("by-hand")).flatMap((item) => casesOf(item, [item.tag, "by hand"]));
  const rounds = new Map<string, number>();
  const drawn = (await itemsOf("drawn")).flatMap((item) => {
    const round = (rounds.get(item.tag) ?? 0) + 1;
    rounds.set(item.tag, round);
    const id = `${item.tag.replaceAll(" ", "-")}-${round}`;
    return casesOf(item, [item.tag]).map((each) => ({ ...each, id: `${id}${each.verdict === true ? "r" : "w"}` }));
  });
  return [...byHand.map((each, i) => ({ ...each, id: `h-${i + 1}` })), ...drawn];
}

/** What makes a reply of the board right or wrong, by the name that its pairs carry. */
export async function graderRules(): Promise<Readonly<Record<string, string>>> {
  return boundedJson(await asset("rules.json")) as Record<string, string>;
}

function casesOf({ kind, rule, gold, right, wrong }: BoardItem, tags: readonly string[]): Omit<GradedCase, "id">[] {
  const labelled = (verdict: boolean) => (prediction: string) => ({ kind, gold, prediction, verdict, rule, tags });
  return [...right.map(labelled(true)), ...wrong.map(labelled(false))];
}

async function itemsOf(name: "by-hand" | "drawn"): Promise<BoardItem[]> {
  const lines = (await asset(`${name}.jsonl`)).split("\n").filter((line) => line !== "");
  return lines.map((line) => boundedJson(line) as BoardItem);
}

function asset(name: string): Promise<string> {
  return readFile(new URL(`../../assets/grader-board/${name}`, import.meta.url), "utf8");
}
