import type { Written } from "../row.ts";
import { sheet } from "./sheet.ts";

const raw = String.raw;

/** Where in a reply its answer stands, in mathematics. */
export const places: readonly Written[] = [
  ...sheet(
    ...(["maths", "place", "where the answer is"] as const),
    [
      "42",
      [
        raw`\boxed{42}`,
        raw`\fbox{42}`,
        raw`$\boxed{42}$.`,
        raw`\[\boxed{42}\]`,
        raw`\boxed 42`,
        "#### 42",
        "The answer is 42.",
        "Answer: 42",
        "**Answer**: 42",
        "42",
        raw`$42$`,
        raw`\(42\)`,
        "So we get 42.",
        "The final answer is $42$. I hope it is correct.",
        "answer = 42",
        raw`Therefore $x = 42$.`,
        raw`The answer is: **42**`,
        raw`<answer>42</answer>`,
        raw`<answer>\boxed{42}</answer>`,
        raw`"answer": 42`,
        raw`\boxed{\boxed{42}}`,
        raw`\boxed{\text{42}}`,
        raw`\boxed{ 42 }.`,
        raw`\boxed{42.}`,
        raw`\boxed{
42
}`,
        raw`\boxed{\displaystyle 42}`,
        raw`\boxed{\mathbf{42}}`,
        raw`\boxed{$42$}`,
        raw`$$\boxed{42}$$ (see equation 7)`,
        raw`There are 7 cases. \boxed{42} It took 3 steps.`,
      ],
      [
        raw`\boxed{43}`,
        "The answer is 43, not 42.",
        raw`42 is the number of cases. \boxed{7}`,
        "#### 43",
        raw`\boxed{}`,
        raw`\boxed{42}{3} \boxed{3}`,
        "I got 42 at first. The answer is 24.",
        raw`\boxed{4}\boxed{2}`,
        raw`$x = 42$ is excluded. The answer is $41$.`,
        "Question 42: what is 6 times 8? The answer is 48.",
        "",
        " ",
        raw`\boxed{421}`,
        raw`\boxed{4 2}`,
      ],
    ],
    [
      raw`\frac{7}{12}`,
      [
        raw`P = \frac{3}{12} + \frac{4}{12} = \boxed{\frac{7}{12}}`,
        raw`$\frac{7}{12}$`,
        raw`The probability is $\frac{7}{12}$.`,
        "The answer is 7/12.",
        "#### 7/12",
        raw`#### \frac{7}{12}`,
        raw`#### $\frac{7}{12}$`,
        raw`The answer is \frac{7}{12}.`,
        raw`**Final answer**

\[ \frac{7}{12} \]`,
        raw`The final answer is: $\boxed{\dfrac{7}{12}}$`,
      ],
      [
        raw`$\frac{7}{12}$ is the chance to lose, so the answer is $\frac{5}{12}$.`,
        "The answer is 7.",
        raw`\boxed{\frac{12}{7}}`,
        "#### 12",
        raw`\boxed{7} out of 12`,
        "7 and 12",
      ],
    ],
    [
      raw`3\sqrt{5}`,
      [
        raw`The distance is $3\sqrt{5}$.`,
        raw`\[ d = \sqrt{36+9} = \sqrt{45} = 3\sqrt{5} \]`,
        raw`$d = \sqrt{45}=3\sqrt5$, so $\boxed{3\sqrt5}$ units`,
        raw`The answer is $3\sqrt{5} \approx 6.71$.`,
      ],
      [
        raw`$3\sqrt{5}$ is the side; the diagonal is $\boxed{3\sqrt{10}}$.`,
        raw`\[ d = \sqrt{45} = 5\sqrt{3} \]`,
        raw`The answer is 3.`,
        raw`The answer is $\sqrt{5}$.`,
      ],
    ],
  ),
  ...sheet(...(["maths", "revised", "revised by hand"] as const), [
    "8",
    [
      raw`\boxed{9}. Let me double-check: I counted one twice. \boxed{8}`,
      raw`The answer is 9. Oops, the answer is 8.`,
      raw`\boxed{9}

Correction: \boxed{8}`,
      raw`Answer: 9
Answer: 8`,
      raw`~~\boxed{9}~~ \boxed{8}`,
      raw`I first wrote $\boxed{9}$; this is incorrect. The correct answer is $\boxed{8}$.`,
      raw`<think>\boxed{9} hmm \boxed{10}</think>\boxed{8}`,
      raw`Instead of \boxed{9}, it should be \boxed{8}.`,
      raw`\boxed{9} is wrong and \boxed{8} is right.`,
    ],
    [
      raw`\boxed{8}. Let me double-check: I missed one. \boxed{9}`,
      raw`The answer is 8. Oops, the answer is 9.`,
      raw`\boxed{8}

Correction: \boxed{9}`,
      raw`<think>\boxed{8}</think>\boxed{9}`,
      raw`Answer: 8
Answer: 9`,
      raw`\boxed{8} is wrong and \boxed{9} is right.`,
      raw`Instead of \boxed{8}, it should be \boxed{9}.`,
    ],
  ]),
  ...sheet(...(["maths", "list", "boxes side by side"] as const), [
    "2, 5",
    [
      raw`\boxed{2}, \boxed{5}`,
      raw`\boxed{2} and \boxed{5}`,
      raw`$\boxed{5}$ and $\boxed{2}$`,
      raw`$x = \boxed{2}$ or $x = \boxed{5}$`,
      raw`\boxed{2,5}`,
      raw`The answers are $2$ and $5$.`,
      raw`The solutions are $x=2$ and $x=5$, so the answer is $\boxed{2, 5}$.`,
    ],
    [
      raw`\boxed{2}`,
      raw`\boxed{5}, \boxed{7}`,
      raw`\boxed{2} was the first try. \boxed{5}`,
      raw`\boxed{2}, \boxed{5} and \boxed{7}`,
      raw`\boxed{25}`,
    ],
  ]),
  ...sheet(
    ...(["maths", "none", "no answer"] as const),
    [
      "12",
      [],
      [
        "I cannot help with that.",
        "I'm sorry, but I don't know.",
        raw`\boxed{}`,
        raw`\boxed{\text{unknown}}`,
        raw`\boxed{?}`,
        "The answer is left to the reader.",
        "Let me think about it step by step.",
        raw`\boxed{\ldots}`,
        "The answer is unclear.",
        raw`\boxed{x}`,
        raw`\boxed{n}`,
        "...",
        "None",
        "null",
        "NaN",
        raw`\boxed{\text{undefined}}`,
        raw`\boxed{\infty}`,
        raw`\boxed{ANSWER}`,
        raw`\boxed{\text{your answer}}`,
        "Step 1. Step 1. Step 1. Step 1.",
        "The answer is $",
        raw`\boxed{`,
        raw`\boxed{\frac{12}{`,
        "12 or so people asked me this. I do not know the answer.",
      ],
    ],
    [raw`\text{(B)}`, [], ["I cannot choose.", raw`\boxed{\text{none of these}}`, raw`\boxed{}`, "It depends."]],
  ),
];
