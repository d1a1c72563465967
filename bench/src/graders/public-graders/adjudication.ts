import type { Judged } from "@laconic/grading/board";

/** A rule under which a label and our verdict may differ, and who is right by it. */
export interface Adjudication {
  readonly rule: string;
  /** By our documented rules the label or the verdict stands. */
  readonly stands: "label" | "verdict";
  readonly because: string;
  holds(pair: Pair): boolean;
}

/** A labelled pair of a named grader. */
interface Pair {
  readonly grader: string;
  readonly gold: string;
  readonly reply: string;
}

const listOf = (text: string): string =>
  text
    .split(",")
    .map((part) => part.trim().replace(/^0?(?=\.)/u, "0"))
    .toSorted()
    .join();

/** In order; the first that holds decides, and the last holds always. */
export const adjudications: readonly Adjudication[] = [
  {
    rule: "list",
    stands: "verdict",
    because: "Several answers are right in any order; MATH's grader compares texts.",
    holds: ({ grader, gold, reply }) => grader === "MATH" && gold !== reply && listOf(gold) === listOf(reply),
  },
  {
    rule: "percent",
    stands: "verdict",
    because: "`10\\%` is 0.1; MATH's grader drops the sign. The lenient rule accepts both.",
    holds: ({ grader, gold, reply }) => grader === "MATH" && /%/u.test(gold) !== /%/u.test(reply),
  },
  {
    rule: "place",
    stands: "verdict",
    because: "A formula between single dollars may go over lines; Math-Verify reads none there.",
    holds: ({ grader, reply }) => grader === "Math-Verify" && /(?:\$|\\\() \n/u.test(reply),
  },
  {
    rule: "revised",
    stands: "verdict",
    because: "A reply that takes its answer back and breaks off before another has none.",
    holds: ({ grader, reply }) => grader === "Math-Verify" && /\bapologi[sz]e\b/iu.test(reply),
  },
  {
    rule: "not said",
    stands: "verdict",
    because: "Words without spaces come from inside a normaliser; no reply says an answer so.",
    holds: ({ reply }) => /^(?:final)?answeris/u.test(reply),
  },
  {
    rule: "programs' names",
    stands: "verdict",
    because:
      "`I`, `\\exponentialE`, `\\floor(a)`, percent of infinity, gcd of other than two whole numbers are a library's notation.",
    holds: ({ grader, reply }) =>
      grader === "latex2sympy2_extended" &&
      /I|exponentialE|floor\(|ceil\(|floor\}|ceil\}|infty\\%|gcd|lcm/u.test(reply),
  },
  {
    rule: "units",
    stands: "verdict",
    because: "A letter right behind a number is a name, unless the other side says it is a unit.",
    holds: ({ grader, reply }) => grader === "latex2sympy2_extended" && /^\d+[a-z]$/u.test(reply),
  },
  {
    rule: "ours",
    stands: "label",
    because: "The label is right, and we do not read or compute it.",
    holds: () => true,
  },
];

/** The rule by which a disagreement is decided. */
export function adjudicated(grader: string, { item }: Judged): Adjudication {
  const pair = { grader, gold: item.gold ?? "", reply: item.prediction ?? "" };
  return adjudications.find(({ holds }) => holds(pair)) as Adjudication;
}
