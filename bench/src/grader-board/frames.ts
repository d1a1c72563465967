import type { Draw, Kind } from "./row.ts";

type Frame = (answer: string, draw: Draw) => string;

const decoy = (draw: Draw): string => String(draw.whole(101, 989));

const maths: readonly Frame[] = [
  (a) => `The answer is $\\boxed{${a}}$.`,
  (a) => `\\boxed{${a}}`,
  (a, draw) => `We set $k=${draw.whole(2, 9)}$ and simplify.\n\nTherefore\n\\[\n\\boxed{${a}}\n\\]`,
  (a) => `**Final Answer:** $${a}$`,
  (a, draw) => `<think>Maybe ${decoy(draw)}? Or \\boxed{${decoy(draw)}}? No.</think>\n\nThe result is \\boxed{${a}}.`,
  (a, draw) =>
    `My first result was $\\boxed{${decoy(draw)}}$, but I dropped a sign.\n\nCorrected, it is $\\boxed{${a}}$.`,
  (a) => `The final answer is $${a}$. I hope it is correct.`,
  (a, draw) => `$$\\boxed{${a}}$$\n\nI checked this in ${draw.whole(2, 9)} ways.`,
  (a) => `So the final answer is \\(\\boxed{${a}}\\).`,
  (a) => `Hence $\\boxed{ \\displaystyle ${a} }$`,
  (a) => `Answer: $${a}$`,
  (a, draw) => `With ${draw.whole(2, 9)} cases we get:\n\n$$${a}$$`,
  (a) => `\`\`\`latex\n\\boxed{${a}}\n\`\`\``,
  (a, draw) => `### Step ${draw.whole(1, 4)}\nSubstitute and collect.\n\n### Answer\n\\[ ${a} \\]`,
  (a) => `The answer is \\( ${a} \\).`,
];

const numeric: readonly Frame[] = [
  (a, draw) => `She has ${draw.whole(2, 9)} boxes of ${draw.whole(11, 40)}.\n#### ${a}`,
  (a, draw) => `${draw.whole(2, 9)} + ${draw.whole(2, 9)} was the first step. The answer is ${a}.`,
  (a) => `So the total is \\boxed{${a}}.`,
  (a) => `**Answer:** ${a}`,
  (a, draw) => `The answer is ${a}. I checked it ${draw.whole(2, 9)} times.`,
  (a, draw) => `Therefore the answer is **${a}**, after ${draw.whole(2, 9)} steps.`,
  (a, draw) => `At first I thought the answer is ${decoy(draw)}. Wait, I forgot a day. The answer is ${a}.`,
  (a, draw) => `#### Step 1\nAdd ${draw.whole(2, 9)}.\n#### Step 2\nDouble.\n\n#### ${a}`,
  (a, draw) => `It takes ${draw.whole(2, 9)} days, so the result is ${a}`,
  (a, draw) => `#### ${decoy(draw)}\nNo, that misses one day.\n#### ${a}`,
  (a) => `The final answer is: $\\boxed{${a}}$`,
  (a) => a,
];

const letter: readonly Frame[] = [
  (a) => `The answer is ${a}.`,
  (a) => `After comparing the options, the correct answer is (${a}).`,
  (a) => a,
  (a) => `(${a})`,
  (a) => `**${a}**`,
  (a) => `**Answer: ${a}**`,
  (a) => `\\boxed{${a}}`,
  (a) => `$\\boxed{\\text{${a}}}$`,
  (a, draw) => `${a}) ${draw.whole(11, 99)}`,
  (a, draw) => `${a}. ${draw.whole(11, 99)} metres`,
  (a, draw) => `We get ${draw.whole(11, 99)}, so the answer is (${a}) ${draw.whole(11, 99)}.`,
  (a) => `Option ${a} is the only one that fits. Therefore, option ${a}.`,
  (a) => `A quick look rules out most of them.\n\nAnswer: ${a}`,
  (a) => `I choose ${a}.`,
  (a) => `The correct option is ${a} because it follows from the definition.`,
  (a) => `<think>It could be any.</think>\nThe answer is ${a}`,
  (a) => `Final answer: \\boxed{${a}}.`,
  (a) => `So the best choice is: ${a}`,
];

const text: readonly Frame[] = [
  (a) => `We look it up in the table.\n#### ${a}`,
  (a) => `It follows that it is \\boxed{${a}}.`,
  (a) => `The answer is ${a}.`,
  (a) => a,
  (a) => `Nothing else fits.\nAnswer: ${a}`,
  (a) => `#### Plan\nCompare.\n#### ${a}`,
  (a) => `The answer is "${a}".`,
  (a) => `The final answer is: **${a}**`,
];

const frames: Readonly<Record<Kind, readonly Frame[]>> = { maths, numeric, letter, text };

/** A reply of the usual kinds around an answer. */
export function framed(kind: Kind, answer: string, draw: Draw): string {
  return draw.pick(frames[kind])(answer, draw);
}
