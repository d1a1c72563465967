import { questionText, type BenchmarkProblem } from "@laconic/benchmarks";
import { answerLine, type Grading } from "@laconic/grading";
import type { BenchSet } from "../src/index.ts";

function setOf(
  benchmark: string,
  grading: Grading,
  problem: Omit<BenchmarkProblem, "id" | "grading">,
  pool: readonly Omit<BenchmarkProblem, "id" | "grading">[],
): BenchSet {
  return {
    benchmark,
    split: "test",
    problems: [{ id: `${benchmark}/1`, grading, ...problem }],
    exemplars: pool.map((item) => ({
      question: questionText(item),
      solution: item.solution ?? "",
      answer: item.gold,
      answerLine: answerLine(grading, item.gold),
      ...(item.metadata && { topic: String(item.metadata["subject"]) }),
    })),
    ...(problem.metadata && { topic: "subject" }),
    calibration: [],
  };
}

/** Solutions of one to three steps; the longest ones are not first. */
const sums = Array.from({ length: 12 }, (_, i) => {
  const steps = (i % 3) + 1;
  const lines = Array.from({ length: steps }, (__, step) => `Step ${step + 1} counts ${i + 1} more.`);
  return {
    question: `A crate holds ${i + 1} pears. How many do ${steps} crates hold?`,
    gold: String(steps * (i + 1)),
    solution: lines.join("\n"),
  };
});

const letters = (count: number): Grading => ({ kind: "letter", letters: "ABCDE".slice(0, count) });

export const requestSets: readonly BenchSet[] = [
  setOf("gsm8k", { kind: "numeric" }, { question: "Ann has 3 bags of 4 nuts. How many nuts?", gold: "12" }, sums),
  setOf("math500", { kind: "maths" }, { question: "What is $2^3 + 4$?", gold: "12" }, []),
  setOf(
    "mmlu-153",
    letters(4),
    {
      question: "Which bird cannot fly?",
      gold: "C",
      choices: ["Duck", "Goose", "Emu", "Swan"],
      metadata: { subject: "birds" },
    },
    Array.from({ length: 7 }, (_, i) => ({
      metadata: { subject: i === 0 ? "numbers" : "birds" },
      question: `Which of these is number ${i}?`,
      gold: "ABCD"[i % 4] as string,
      choices: ["One", "Two", "Three", "Four"],
    })),
  ),
  setOf(
    "aqua",
    letters(5),
    { question: "A pen costs 4. What do 3 cost?", gold: "C", choices: ["7", "10", "12", "16", "20"] },
    sums.slice(0, 9).map(({ question, solution }, i) => ({
      question,
      solution,
      gold: "ABCDE"[i % 5] as string,
      choices: ["1", "2", "3", "4", "5"],
    })),
  ),
  setOf(
    "humaneval",
    {
      kind: "code",
      prompt: 'def add(a: int, b: int) -> int:\n    """Adds two numbers.\n    >>> add(2, 3)\n    5\n    """\n',
      test: "def check(candidate):\n    assert candidate(1, 2) == 3\n",
      entryPoint: "add",
    },
    {
      question: 'def add(a: int, b: int) -> int:\n    """Adds two numbers.\n    >>> add(2, 3)\n    5\n    """\n',
      gold: "",
    },
    [],
  ),
];
