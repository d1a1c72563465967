import type { Problem, Random, ToolFormat, TrainingSequence } from "@laconic/core";
import { solo } from "@laconic/topologies";
import { defineTask } from "../define-task.ts";
import { relayGrader } from "../relay/grader.ts";
import { solverPrompt } from "../relay/prompts.ts";
import { renderTokens, tokensPrompt } from "../relay/token-prompt.ts";
import { relayMarks, relayTokenizer } from "../relay/tokenizer.ts";
import { heldOutSplits, type TeamTask } from "../task.ts";
import { calculator } from "../tools/calculator.ts";
import { toolEnvironment } from "../tools/tool-environment.ts";

/** A call is a sum and nothing else: the relay's vocabulary spells no braces. */
const sumFormat: ToolFormat = {
  name: "sum",
  write: (messages) => messages.map(({ role, content }) => ({ role, content })),
  read: (text) =>
    /^\d{1,4}\+\d{1,4}$/u.test(text)
      ? { content: "", calls: [{ name: calculator.name, arguments: JSON.stringify({ expression: text }) }] }
      : { content: text, calls: [] },
};

/** An answer of the calculator in the relay's tokens: `?85>`. */
const encodeAnswer = (text: string): number[] => [
  relayMarks.question,
  ...relayTokenizer.encode(/^\d+$/u.test(text) ? text : ""),
  relayMarks.reply,
];

/** Size and price of the calculator world. */
export interface CalculatorTaskOptions {
  /** What a call takes from the reward. Default 0.2. */
  readonly price?: number;
  /** Held-out problems; 200 when absent. */
  readonly heldOut?: number;
}

/**
 * A solver that may ask a calculator. Half of the problems add a digit to a digit or a ten (`40+7`), which a small policy
 * learns; half add two numbers of two digits, which it does not learn in minutes. To ask costs.
 */
export function calculatorTask({ price = 0.2, heldOut = 200 }: CalculatorTaskOptions = {}): TeamTask {
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
    ...heldOutSplits(heldOut, "calculator", drawHeldOut),
  });
}

/**
 * Examples that teach to ask mostly, to repeat what the calculator says, and sometimes to answer at once.
 * @param asks - probability of a call
 */
export function calculatorExamples(size: number, random: Random, asks = 0.8): TrainingSequence[] {
  return Array.from({ length: size }, () => drawTraining(random)).flatMap(({ question, gold }) => {
    const promptTokens = solverPrompt(question, []);
    const said = (text: string): number[] => [...relayTokenizer.encode(text), relayTokenizer.endToken];
    if (random.uniform() >= asks) return [{ promptTokens, completionTokens: said(gold) }];
    const call = said(question);
    const asked = [...promptTokens, ...call, ...encodeAnswer(gold)];
    return [
      { promptTokens, completionTokens: call },
      { promptTokens: asked, completionTokens: said(gold) },
    ];
  });
}

/** Every fifth pair of numbers is held out, whatever their order. */
const isHeldOut = (a: number, b: number): boolean => (7 * (a + b) + Math.abs(a - b)) % 5 === 0;

function drawTraining(random: Random): Problem {
  return drawWhere(random, (a, b) => !isHeldOut(a, b));
}

function drawHeldOut(random: Random): Problem {
  return drawWhere(random, isHeldOut);
}

function drawWhere(random: Random, isWanted: (a: number, b: number) => boolean): Problem {
  const isHard = random.uniform() < 0.5;
  for (;;) {
    const a = isHard ? 10 + random.integer(90) : random.pick([1, 10]) * random.integer(10);
    const b = isHard ? 10 + random.integer(90) : random.integer(10);
    const question = `${a}+${b}`;
    if (isWanted(a, b)) return { id: question, question, gold: String(a + b), group: isHard ? "hard" : "easy" };
  }
}
