import { randomFromSeed, type Problem, type Random, type ToolFormat } from "@laconic/core";
import { solo } from "@laconic/topologies";
import { defineTask } from "../define-task.ts";
import { relayGrader } from "../relay/task.ts";
import { renderTokens, solverPrompt, tokensPrompt } from "../relay/prompts.ts";
import { relayMarks, relayTokenizer } from "../relay/tokenizer.ts";
import type { EvaluationSplits, TeamTask } from "../task.ts";
import { calculator } from "./calculator.ts";
import { toolEnvironment } from "./tool-environment.ts";

/** The vocabulary lacks braces, so a call is a plain sum. */
const sumFormat: ToolFormat = {
  name: "sum",
  write: (messages) => messages.map(({ role, content }) => ({ role, content })),
  read: (text) =>
    /^\d{1,4}\+\d{1,4}$/u.test(text)
      ? { content: "", calls: [{ name: calculator.name, arguments: JSON.stringify({ expression: text }) }] }
      : { content: text, calls: [] },
};

/** Relay tokens such as `?85>`. */
const encodeAnswer = (text: string): number[] => [
  relayMarks.question,
  ...relayTokenizer.encode(/^\d+$/u.test(text) ? text : ""),
  relayMarks.reply,
];

/** Options of the calculator world. */
export interface CalculatorTaskOptions {
  /** Price of a call. Default 0.2. */
  readonly price?: number;
  /** Problems per evaluation split. Default 200. */
  readonly testProblems?: number;
}

/** A solver may call a calculator at a price; small policies learn `40+7`, not two-digit sums. */
export function calculatorTask({ price = 0.2, testProblems = 200 }: CalculatorTaskOptions = {}): TeamTask {
  return defineTask({
    name: "calculator",
    about: "A solver adds two numbers, or asks a calculator for a price. It is right when it says the sum.",
    topology: solo(
      {
        id: "solver",
        role: "solver",
        maxTokens: 20,
        prompt: ({ question }) => tokensPrompt(solverPrompt(question, [])),
        renderPrompt: renderTokens,
      },
      "calculator",
    ),
    environment: toolEnvironment({ tools: [calculator], format: sumFormat, price, encode: encodeAnswer, maxSteps: 3 }),
    tokenizer: relayTokenizer,
    grader: relayGrader,
    problems: (random, count) => Array.from({ length: count }, () => drawTraining(random)),
    ...splits(testProblems),
  });
}

/** Two of five sums. */
const isForEvaluation = (a: number, b: number): boolean =>
  randomFromSeed(`calculator/${Math.min(a, b)}+${Math.max(a, b)}`).integer(5) < 2;

const groups = ["easy", "hard"] as const;
const small = Array.from({ length: 10 }, (_, i) => i);
const numbers = {
  easy: [...small, ...small.slice(1).map((ten) => 10 * ten)],
  hard: Array.from({ length: 90 }, (_, i) => 10 + i),
};

function problemsOf(group: (typeof groups)[number], evaluation: boolean): Problem[] {
  return numbers[group].flatMap((a) =>
    numbers[group]
      .filter((b) => (group === "hard" || Math.min(a, b) < 10) && isForEvaluation(a, b) === evaluation)
      .map((b) => ({ id: `${a}+${b}`, question: `${a}+${b}`, gold: String(a + b), group })),
  );
}

const training = { easy: problemsOf("easy", false), hard: problemsOf("hard", false) };

function drawTraining(random: Random): Problem {
  return random.pick(training[random.pick(groups)]);
}

/** Takes at most half of `count` problems per group and split. */
function splits(count: number): EvaluationSplits {
  const random = randomFromSeed("calculator");
  const halves = groups.map((group) => {
    const all = random.shuffle(problemsOf(group, true));
    const size = Math.min(Math.ceil(count / 2), Math.floor(all.length / 2));
    return [all.slice(0, size), all.slice(size, 2 * size)] as const;
  });
  return { validation: halves.flatMap(([first]) => first), testProblems: halves.flatMap(([, second]) => second) };
}
