import type { Random } from "@laconic/core";
import words from "../../assets/steps.json" with { type: "json" };
import { capitalised, drawSentence, isHeldBack, type SentenceKind, type SentenceValues } from "./shapes.ts";

/** Names what is new in a family. */
export interface StepsFamily {
  readonly names: boolean;
  readonly numbers: boolean;
  readonly shapes: boolean;
}

/** Name of a family, and of its test split. */
export type StepsFamilyName = "known" | "new-names" | "new-numbers" | "new-shapes" | "all-new";

const known: StepsFamily = { names: false, numbers: false, shapes: false };

/** Families by name. */
export const stepsFamilies: Readonly<Record<StepsFamilyName, StepsFamily>> = {
  known,
  "new-names": { ...known, names: true },
  "new-numbers": { ...known, numbers: true },
  "new-shapes": { ...known, shapes: true },
  "all-new": { names: true, numbers: true, shapes: true },
};

/** A sentence of a problem. */
export interface StepsFact {
  readonly text: string;
  /** Misleading facts name the person and the things asked for, but do not count. */
  readonly use: "needed" | "distractor" | "misleading";
}

/** One calculation of the worked solution. */
export interface Calculation {
  /** Such as `Tom has`. */
  readonly subject: string;
  readonly left: number;
  readonly sign: "+" | "-" | "x";
  readonly right: number;
  readonly result: number;
}

/** A word problem of several steps. */
export interface StepsProblem {
  readonly facts: readonly StepsFact[];
  readonly asked: string;
  readonly answer: number;
  /** First quantity, such as `Tom has 12.` */
  readonly first: string;
  readonly calculations: readonly Calculation[];
}

/** Limits of a drawn problem. */
export interface StepsOptions {
  readonly family?: StepsFamily;
  /** Default: one to four. */
  readonly operations?: readonly number[];
  /** Made-up names in known families. Default false. */
  readonly madeUp?: boolean;
}

const largest = 60;

/** An eighth of all calculations is held back. */
const heldNumbers = 0.125;

const factors: Readonly<Record<number, string>> = { 2: "twice", 3: "three times", 4: "four times" };

/** Draws a problem of a family. */
export function drawSteps(random: Random, options: StepsOptions = {}): StepsProblem {
  for (;;) {
    const problem = tryProblem(random, { family: known, operations: [1, 2, 2, 3, 3, 4], madeUp: false, ...options });
    if (problem) return problem;
  }
}

interface Person {
  readonly name: string;
  readonly count: number;
}

function tryProblem(random: Random, { family, operations, madeUp }: Required<StepsOptions>): StepsProblem | null {
  const cast = drawCast(random, family, madeUp);
  const [first = "", ...others] = cast.people;
  const say = (kind: SentenceKind, values: SentenceValues): string =>
    drawSentence(kind, { o: cast.things, v: cast.other, ...values }, family.shapes, random);
  const start = 2 + random.integer(29);
  const people: Person[] = [{ name: first, count: start }];
  const needed = [say("start", { p: first, n: start })];
  const calculations: Calculation[] = [];
  const total = random.pick(operations);
  const isJoint = total > 1 && random.uniform() < 0.2;
  let isTimeless = true;
  for (let step = 0; step < total - Number(isJoint); step++) {
    const { name: p, count: left } = people.at(-1)!;
    const kind = random.pick(["add", "add", "subtract", "subtract", "more", "fewer", "times"] as const);
    const n = kind === "times" ? 2 + random.integer(3) : 2 + random.integer(19);
    const calculation = calculate(left, kind, n);
    if (calculation.result < 1 || calculation.result > largest) return null;
    const isEvent = kind === "add" || kind === "subtract";
    const q = isEvent ? p : others[people.length - 1];
    if (q === undefined || people.length + Number(!isEvent) > 3) return null;
    needed.push(say(kind, { p, q, n, w: factors[n] ?? "" }));
    calculations.push({ subject: `${q} has`, ...calculation });
    if (isEvent) [isTimeless] = [false, people.pop()];
    people.push({ name: q, count: calculation.result });
  }
  const { name: p, count } = people.at(-1)!;
  const partner = isJoint && people.length > 1 ? random.pick(people.slice(0, -1)) : null;
  if (isJoint && !partner) return null;
  if (partner) calculations.push({ subject: "Together", ...calculate(count, "add", partner.count) });
  const answer = calculations.at(-1)?.result ?? 0;
  if (cancels(calculations)) return null;
  if (calculations.some((one) => isHeldBack(`${one.left} ${one.sign} ${one.right}`, heldNumbers)) !== family.numbers)
    return null;
  const asked = partner ? say("askTogether", { p, q: partner.name }) : say("ask", { p });
  const ordered = isTimeless && random.uniform() < 0.3 ? random.shuffle(needed) : needed;
  const facts = ordered.map((text): StepsFact => ({ text, use: "needed" }));
  for (let i = random.integer(4); i > 0; i--) {
    const use = random.uniform() < 0.7 ? "distractor" : "misleading";
    const strangers = cast.people.slice(3);
    const values = { p: random.pick(people).name, r: random.pick(strangers), n: 2 + random.integer(39) };
    facts.splice(random.integer(facts.length + 1), 0, { text: say(use, values), use });
  }
  return { facts, asked, answer, first: `${first} has ${start}.`, calculations };
}

/** Whether some events of one person have no effect together, so that a reader could miss them. */
function cancels(calculations: readonly Calculation[]): boolean {
  const sums = new Map<string, number[]>();
  return calculations.some(({ subject, left, result }) => {
    const reachable = sums.get(subject) ?? [0];
    sums.set(subject, [...reachable, ...reachable.map((sum) => sum + result - left)]);
    return reachable.includes(left - result);
  });
}

function calculate(left: number, kind: string, right: number): Omit<Calculation, "subject"> {
  if (kind === "times") return { left, sign: "x", right, result: left * right };
  if (kind === "subtract" || kind === "fewer") return { left, sign: "-", right, result: left - right };
  return { left, sign: "+", right, result: left + right };
}

interface Cast {
  /** Three people of the problem, then strangers. */
  readonly people: readonly string[];
  readonly things: string;
  readonly other: string;
}

function drawCast(random: Random, family: StepsFamily, madeUp: boolean): Cast {
  const isNew = family.names;
  const list = isNew ? "new" : "known";
  const invents = madeUp && !isNew;
  const people = random.shuffle(words.names[list].split(" ")).slice(0, 6);
  const [things = "", other = ""] = random
    .shuffle(words.things[list].split(" "))
    .map((word) => (invents && random.uniform() < 0.2 ? `${invented(random)}s` : word));
  const named = people.map((name) => (invents && random.uniform() < 0.35 ? capitalised(invented(random)) : name));
  return new Set(named).size < named.length ? drawCast(random, family, madeUp) : { people: named, things, other };
}

const syllables = {
  starts: "b d f g h j k l m n p r s t v w y z br ch cl dr fr gr pr sh st th tr".split(" "),
  vowels: "a e i o u a e i o ai ee ie ou".split(" "),
  ends: ["", "", "", "n", "l", "r", "s", "m", "x", "k", "d", "t", "nd"],
} as const;

/** A made-up word, so that copying is learned, not a list. */
function invented(random: Random): string {
  const count = random.pick([1, 2, 2]);
  const body = Array.from({ length: count }, () => random.pick(syllables.starts) + random.pick(syllables.vowels));
  return body.join("") + random.pick(syllables.ends);
}

/** The question with all facts. */
export function stepsQuestion({ facts, asked }: Pick<StepsProblem, "facts" | "asked">): string {
  return [...facts.map(({ text }) => text), asked].join(" ");
}

export function workedSteps({ first, calculations }: Pick<StepsProblem, "first" | "calculations">): string {
  const sentences = calculations.map(
    ({ subject, left, sign, right, result }) => `${subject} ${left} ${sign} ${right} = ${result}.`,
  );
  return [first, ...sentences].join(" ");
}

/** The worked steps and the answer's line. */
export function stepsSolution(problem: Pick<StepsProblem, "first" | "calculations" | "answer">): string {
  return `${workedSteps(problem)}\n#### ${problem.answer}`;
}

/** A worked solution with one wrong result, which later calculations use. */
export interface WrongDraft {
  readonly text: string;
  readonly step: number;
}

/** Draws a draft whose calculation of one step is wrong; later ones follow from it. */
export function drawWrongDraft({ first, calculations }: StepsProblem, random: Random): WrongDraft {
  const step = random.integer(calculations.length);
  const shown: Calculation[] = [];
  for (const [i, calculation] of calculations.entries()) {
    const before = calculations[i - 1];
    const follows = i > step && before?.result === calculation.left;
    const left = follows ? (shown[i - 1]?.result as number) : calculation.left;
    const right = calculation.right;
    const kind = { "+": "add", "-": "subtract", x: "times" }[calculation.sign];
    const { result } = calculate(left, kind, right);
    const slip = random.pick([-10, -2, -1, 1, 2, 10]);
    shown.push({
      ...calculation,
      left,
      result: i === step ? Math.max(1, result + (result + slip < 1 ? 3 : slip)) : result,
    });
  }
  return { text: stepsSolution({ first, calculations: shown, answer: shown.at(-1)?.result ?? 0 }), step };
}
