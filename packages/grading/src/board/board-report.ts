import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { boundedJson } from "@laconic/core/json";
import { wilsonInterval } from "@laconic/core/numeric";
import { type GradedCase, gradeCase, type CaseVerdict } from "../graded-case.ts";
import { mathsGrader } from "../maths/maths-grader.ts";

export interface BoardItem {
  readonly kind: GradedCase["kind"];
  readonly rule: string;
  readonly tag: string;
  readonly gold: string;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

/** Written by hand, then two per drawn item. */
export async function graderBoard(): Promise<GradedCase[]> {
  const byHand = (await itemsOf("by-hand")).flatMap((item) => casesOf(item, [item.tag, "by hand"]));
  const rounds = new Map<string, number>();
  const drawn = (await itemsOf("drawn")).flatMap((item) => {
    const round = (rounds.get(item.tag) ?? 0) + 1;
    rounds.set(item.tag, round);
    const id = `${item.tag.replaceAll(" ", "-")}-${round}`;
    return casesOf(item, [item.tag]).map((element) => ({
      ...element,
      id: `${id}${element.verdict === true ? "r" : "w"}`,
    }));
  });
  return [...byHand.map((item, i) => ({ ...item, id: `h-${i + 1}` })), ...drawn];
}

/** Reasons for labels. */
export async function graderRules(): Promise<Readonly<Record<string, string>>> {
  return boundedJson(await asset("rules.json")) as Record<string, string>;
}

export function casesOf({ kind, rule, gold, right, wrong }: BoardItem, tags: string[]): Omit<GradedCase, "id">[] {
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

/** Case and its verdict. */
export interface Judged {
  readonly item: GradedCase;
  readonly verdict: CaseVerdict;
}

/** Share with 95 % interval (Wilson). */
export interface Share {
  readonly count: number;
  readonly of: number;
  readonly share: number;
  readonly interval: readonly [low: number, high: number];
}

/** Agreement of verdicts with labels. */
export interface Tally {
  readonly pairs: number;
  readonly accuracy: Share;
  /** Share of all pairs. */
  readonly falseAccepts: Share;
  /** Share of pairs labelled wrong. */
  readonly falseAcceptsOfWrong: Share;
  readonly falseRejects: Share;
}

/** Accuracy and speed of a board. */
export interface BoardReport {
  readonly total: Tally;
  readonly kinds: Readonly<Record<string, Tally>>;
  readonly tags: Readonly<Record<string, Tally>>;
  readonly verdictsPerSecond: number;
  /** All threads of this process. */
  readonly verdictsPerProcessorSecond: number;
  readonly disagreements: readonly Judged[];
}

/**
 * Grades and times cases on one thread per core, at most two.
 * @param onVerdict - called in case order
 */
export async function judgeCases(
  cases: readonly GradedCase[],
  onVerdict: (judged: Judged) => void = () => undefined,
): Promise<BoardReport> {
  const threads = Math.min(2, availableParallelism());
  const maths = mathsGrader({ threads });
  try {
    await Promise.all(Array.from({ length: threads }, () => maths.grade("1", "1")));
    const start = performance.now();
    const before = process.cpuUsage();
    const verdicts = cases.map((item) => gradeCase(item, maths));
    // Failures are thrown in case order.
    for (const verdict of verdicts) verdict.catch(() => undefined);
    const judged: Judged[] = [];
    for (const [i, item] of cases.entries()) {
      judged.push({ item, verdict: await verdicts[i]! });
      onVerdict(judged.at(-1)!);
    }
    const { user, system } = process.cpuUsage(before);
    return {
      total: tallyOf(judged),
      kinds: talliesBy(judged, ({ kind }) => [kind]),
      tags: talliesBy(judged, ({ tags }) => tags ?? []),
      verdictsPerSecond: Math.round((1000 * judged.length) / (performance.now() - start)),
      verdictsPerProcessorSecond: Math.round((1e6 * judged.length) / (user + system)),
      disagreements: judged.filter((item) => isLabelled(item) && item.item.verdict !== item.verdict.correct),
    };
  } finally {
    await maths.close();
  }
}

function isLabelled({ item, verdict }: Judged): boolean {
  return typeof item.verdict === "boolean" && verdict.correct !== null;
}

/** Skips cases without verdict or label. */
export function tallyOf(judged: readonly Judged[]): Tally {
  const pairs = judged.filter(isLabelled).map(({ item, verdict }) => [item.verdict, verdict.correct] as const);
  const count = (holds: (label: boolean, correct: boolean) => boolean): number =>
    pairs.filter(([label, correct]) => holds(label === true, correct === true)).length;
  const wrong = count((label) => !label);
  const falseAccepts = count((label, correct) => !label && correct);
  const falseRejects = count((label, correct) => label && !correct);
  return {
    pairs: pairs.length,
    accuracy: shareOf(pairs.length - falseAccepts - falseRejects, pairs.length),
    falseAccepts: shareOf(falseAccepts, pairs.length),
    falseAcceptsOfWrong: shareOf(falseAccepts, wrong),
    falseRejects: shareOf(falseRejects, pairs.length - wrong),
  };
}

function talliesBy(judged: readonly Judged[], keysOf: (item: GradedCase) => readonly string[]): Record<string, Tally> {
  const names = [...new Set(judged.flatMap(({ item }) => keysOf(item)))].toSorted((a, b) => a.localeCompare(b));
  return Object.fromEntries(
    names.map((name) => [name, tallyOf(judged.filter(({ item }) => keysOf(item).includes(name)))]),
  );
}

function shareOf(count: number, of: number): Share {
  return { count, of, share: of === 0 ? 0 : count / of, interval: wilsonInterval(count, of) };
}
