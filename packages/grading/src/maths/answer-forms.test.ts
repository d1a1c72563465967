import { describe, expect, test } from "vitest";
import { gradeMaths } from "./grade-maths.ts";

/** Gold, replies that say it, replies that say something else. */
type Row = readonly [gold: string, right: readonly string[], wrong: readonly string[]];

const sentences: readonly Row[] = [
  ["130", ["So he earned 13 x $10 = $130 in all."], ["So he earned 13 x $10 = $120 in all."]],
  ["13\\times 10", ["The answer is 13 x $10."], ["The answer is $10."]],
  [
    "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}",
    ["The answer is Matrix([[1, 2], [3, 4]]).", "So M = Matrix([[1, 2], [3, 4]])."],
    ["The answer is Matrix([[1, 3], [2, 4]]).", "The matrix (1, 2, 3, 4) is singular."],
  ],
  [
    "34",
    [
      "The largest $n$ is 34.",
      "The answer: the largest $n$ is 34.",
      "So the answer is that the largest $n$ is 34.",
      "The answer for $n$ is $34$.",
      "Final answer: $n$ is 34.",
      "The answer is: the value of $n$ equals 34. I tried 100 cases.",
      "#### 34",
      "#### 34\n####",
      "It is 34.\n####",
      "#### $34$",
      "So \\boxed{34",
      "So $\\boxed{34$ and we are done",
    ],
    [
      "The answer: the largest $n$ is 35.",
      "The answer: the largest $n$ is not known.",
      "The answer is $n$, where 34 is the number of tries.",
      "The answer is $n$. There are 34 of them.",
      "#### 35",
      "#### 34\n#### 35",
      "So \\boxed{35",
      "So \\boxed{34+1",
    ],
  ],
  [
    "n",
    ["The answer is $n$.", "The answer is $n$ where k is 3.", "Answer: $n$"],
    ["The answer: the smallest $n$ is 3."],
  ],
  ["5", ["### Steps\n#### Step 4: sum\nThe answer is 5."], ["#### Step 5: sum\nThe answer is 4."]],
];

const chains: readonly Row[] = [
  [
    "204",
    [
      "m+n=200+4=204",
      "m+n=204",
      "m + n = 204",
      "x=100+104=204",
      "100m+n=200+4=204",
      "m+n=2\\cdot 102=204",
      "a+b+c=100+100+4=204",
      "ab=12\\cdot 17=204",
      "200+4=204",
    ].map((each) => `\\boxed{${each}}`),
    [
      "m+n=200+5=204",
      "m+n=200+4=205",
      "m+n=204+1",
      "2x+204=204",
      "m+204=204",
      "m+n>204",
      "204=m+n+1",
      "m=200,n=4",
      "100m+n=204",
      "m+n=204=205",
      "m+n\\neq 204",
    ].map((each) => `\\boxed{${each}}`),
  ],
  ["m+n=204", ["\\boxed{204=m+n}", "\\boxed{2m+2n=408}"], ["\\boxed{m+n=205}", "\\boxed{204}", "\\boxed{m-n=204}"]],
  // Letters around a minus are no hyphenated word.
  ["-x+y", ["\\boxed{y-x}", "\\boxed{-(x-y)}"], ["\\boxed{x-y}", "\\boxed{-y+x}"]],
  ["x-y", ["\\boxed{-y+x}"], ["\\boxed{y-x}", "\\boxed{-x+y}"]],
  ["ab-cd", ["\\boxed{-cd+ba}"], ["\\boxed{cd-ab}"]],
  ["y-axis", ["\\boxed{\\text{y-axis}}", "\\boxed{$y$-axis}"], ["\\boxed{x-axis}"]],
  ["x+y=5", ["\\boxed{5-y=x}"], ["\\boxed{5}", "\\boxed{x+y=6}", "\\boxed{x=5}"]],
];

const choices: readonly Row[] = [
  [
    "C",
    [
      "\\boxed{(C) 12}",
      "\\boxed{C}",
      "\\boxed{\\text{(C)}}",
      "\\boxed{\\textbf{(C) }12}",
      "\\boxed{\\text{C) } 12}",
      "The answer is (C) 12.",
      "\\boxed{C. 12}",
    ],
    [
      "\\boxed{(B) 12}",
      "\\boxed{(B) C}",
      "\\boxed{(A) (C)}",
      "\\boxed{12}",
      "The answer is (B) 12.",
      "\\boxed{(C)(B)}",
      "\\boxed{C+12}",
      "\\boxed{12C}",
    ],
  ],
  [
    "\\text{(C)}",
    ["\\boxed{(C) 12}", "\\boxed{C}", "\\boxed{\\text{(C) } x^2}"],
    ["\\boxed{(D) 12}", "\\boxed{D}", "\\boxed{(D) (C)}"],
  ],
  [
    "12",
    [
      "\\boxed{(C) 12}",
      "\\boxed{\\textbf{(C)}\\ 12}",
      "\\boxed{\\textbf{(C) }12}",
      "\\boxed{\\text{(C) 12}}",
      "\\boxed{\\mathrm{(E)}\\quad 12}",
      "\\boxed{(\\text{C})\\ 12}",
      "\\boxed{C) 12}",
      "The answer is (C) 12.",
    ],
    [
      "\\boxed{(C) 13}",
      "\\boxed{(C)}",
      "\\boxed{(C) (D) 12}",
      "\\boxed{(C) 12, (D) 13}",
      "\\boxed{C12}",
      "\\boxed{12(C)}",
      "\\boxed{(C)-12}",
    ],
  ],
  [
    "(C) 12",
    ["\\boxed{C}", "\\boxed{12}", "\\boxed{(C) 12}", "\\boxed{\\text{(C)}\\ 12}"],
    ["\\boxed{D}", "\\boxed{13}", "\\boxed{(D) 12}", "\\boxed{(C) 13}"],
  ],
  ["\\frac{1}{2}", ["\\boxed{\\textbf{(B)}\\ \\frac12}", "\\boxed{(B)\\ 0.5}"], ["\\boxed{\\textbf{(B)}\\ \\frac13}"]],
  ["12A", ["\\boxed{A\\cdot 12}", "\\boxed{(A)(12)}"], ["\\boxed{(B) 12}", "\\boxed{12}"]],
];

const matrix = (rows: string, kind = "pmatrix"): string => `\\begin{${kind}}${rows}\\end{${kind}}`;
const [a, b] = [matrix("1&2\\\\3&4"), matrix("0&1\\\\1&0")];
const matrices: readonly Row[] = [
  [
    matrix("1&3\\\\4&4"),
    [`${a}+${b}`, `${b}+${a}`, `${a}--${b}`.replace("--", "-(-1)"), `${matrix("2&6\\\\8&8")}-${matrix("1&3\\\\4&4")}`],
    [`${a}-${b}`, `${a}${b}`, a, `${a}+${matrix("1\\\\2")}`, `${a}+1`],
  ],
  [matrix("2&1\\\\4&3"), [`${a}${b}`, `${a}\\cdot ${b}`, `${a}\\times${b}`], [`${b}${a}`, `${a}+${b}`, `${a}/${b}`]],
  [matrix("3&4\\\\1&2"), [`${b}${a}`], [`${a}${b}`]],
  [
    matrix("2&4\\\\6&8"),
    [
      `2${a}`,
      `2\\cdot ${a}`,
      `${a}\\cdot 2`,
      `${a}+${a}`,
      `\\left(2\\right)${matrix("1&2\\\\3&4", "bmatrix")}`,
      `-${matrix("-2&-4\\\\-6&-8")}`,
    ],
    [`3${a}`, `-2${a}`, `${a}^2`, `2+${a}`, `${a}/2`],
  ],
  [matrix("\\frac12&1\\\\\\frac32&2"), [`\\frac12${a}`, `\\frac{1}{2}\\cdot${a}`], [`\\frac13${a}`, `2${a}`]],
  [matrix("17\\\\39"), [`${a}${matrix("5\\\\6")}`], [`${matrix("5\\\\6")}${a}`, `${a}${matrix("6\\\\5")}`]],
  [
    matrix("1+2t\\\\2-t"),
    [`${matrix("1\\\\2")}+t${matrix("2\\\\-1")}`],
    [`${matrix("1\\\\2")}+s${matrix("2\\\\-1")}`, `${matrix("1\\\\2")}-t${matrix("2\\\\-1")}`],
  ],
  [`${matrix("1\\\\2")}+t${matrix("2\\\\-1")}`, [matrix("1+2t\\\\2-t")], [matrix("1+t\\\\2-t")]],
].map(([gold, right, wrong]) => [
  gold as string,
  (right as string[]).map((each) => `\\boxed{${each}}`),
  (wrong as string[]).map((each) => `\\boxed{${each}}`),
]);

const boxed = (rows: readonly Row[]): Row[] =>
  rows.map(([gold, right, wrong]) => [
    gold,
    right.map((each) => `\\boxed{${each}}`),
    wrong.map((each) => `\\boxed{${each}}`),
  ]);

const sets: readonly Row[] = boxed([
  [
    "(0,2)",
    [
      "(0,1)\\cup[1,2)",
      "(0,1]\\cup(\\frac12,2)",
      "(0,2)\\cup\\{1\\}",
      "(0,1)\\cup\\{1\\}\\cup(1,2)",
      "(-1,2)\\cap(0,5)",
      "0<x<2",
      "2>x>0",
      "x>0\\text{ and }x<2",
    ],
    [
      "(0,1)\\cup(1,2)",
      "(0,1]\\cup[1,2]",
      "[0,1)\\cup[1,2)",
      "0<x\\le 2",
      "0<2x<2",
      "0<x<3",
      "x<2",
      "x>0\\text{ or }x<2",
      "(0,2)\\setminus\\{1\\}",
      "\\{2,0\\}",
    ],
  ],
  [
    "(0,1)\\cup(1,2)",
    ["(0,2)\\setminus\\{1\\}", "(1,2)\\cup(0,1)", "0<x<1\\text{ or }1<x<2"],
    ["(0,2)", "(0,1)\\cup[1,2)", "(0,2)\\setminus\\{0\\}"],
  ],
  [
    "\\mathbb{R}\\setminus\\{0\\}",
    ["(-\\infty,0)\\cup(0,\\infty)", "x\\ne 0"],
    ["\\mathbb{R}", "(0,\\infty)", "(-\\infty,0]\\cup(0,\\infty)", "\\mathbb{R}\\setminus\\{1\\}", "x\\ne 1"],
  ],
  [
    "(-\\infty,\\infty)",
    ["(-\\infty,1)\\cup[1,\\infty)", "\\mathbb{R}"],
    ["(-\\infty,1)\\cup(1,\\infty)", "x<1,x>3", "x<3,x>1", "\\emptyset"],
  ],
  [
    "x<1\\text{ or }x>3",
    ["(-\\infty,1)\\cup(3,\\infty)", "x<1,x>3", "x>3\\text{ or }1>x"],
    ["(-\\infty,1]\\cup(3,\\infty)", "(1,3)", "x<1\\text{ and }x>3", "x<3\\text{ or }x>1"],
  ],
  [
    "[-\\sqrt2,\\sqrt2]",
    ["[-\\sqrt2,0]\\cup[0,\\sqrt2]", "-\\sqrt2\\le x\\le\\sqrt2"],
    ["[-\\sqrt2,0)\\cup(0,\\sqrt2]", "(-\\sqrt2,\\sqrt2)", "[-\\sqrt3,\\sqrt3]"],
  ],
  [
    "(0,1)",
    ["0<x<1", "0<f(x)<1", "1>x>0", "x\\in(0,1)", "0<x\\text{ and }x<1"],
    ["0\\le x<1", "0<x<2", "0<x", "0<x^2<1", "1<x<0", "0<f(x)<2", "0<f(x)\\le 1", "0<x+1<1"],
  ],
  ["0<f(x)<1", ["(0,1)", "1>f(x)>0"], ["[0,1)", "(0,2)", "0<f(x)<2", "0<f(x)"]],
  ["(a,b)", ["a<x<b"], ["b<x<a", "a\\le x<b"]],
  ["(3,\\infty)", ["x>3", "3<x", "(3,5]\\cup(4,\\infty)"], ["x\\ge 3", "x<3", "(3,5)\\cup(5,\\infty)"]],
  [
    "\\{1,2\\}\\cup[3,4]",
    ["[3,4]\\cup\\{2,1\\}", "\\{1\\}\\cup\\{2\\}\\cup[3,4]", "\\{1,2,3\\}\\cup[3,4]"],
    ["[1,2]\\cup[3,4]", "\\{1\\}\\cup[3,4]", "(1,2)\\cup[3,4]"],
  ],
  ["(1,2)", ["(1,2)"], ["(2,1)", "[1,2]", "\\{2,1\\}", "(1,2)\\cup\\{5\\}"]],
]);

const lists: readonly Row[] = boxed([
  [
    "(1,2,3),(4,5,6)",
    [
      "(1,2,3);(4,5,6)",
      "\\{(1;2;3);(4;5;6)\\}",
      "(1;2;3),(4;5;6)",
      "(4;5;6);(1;2;3)",
      "1,2,3;4,5,6",
      "(a,b,c)=(1,2,3);(4,5,6)",
      "\\{(4,5,6);(1,2,3)\\}",
    ],
    ["(1;2;3)", "(1;2;3);(4;6;5)", "1;2;3;4;5;6", "(1,2,3,4,5,6)", "(1;2;3);(4;5;6);(7;8;9)", "(3;2;1);(4;5;6)"],
  ],
  ["\\{(1,2,3),(4,5,6)\\}", ["(1;2;3);(4;5;6)"], ["(1;2;3);(4;5;7)"]],
  ["(1;2;3)", ["(1,2,3)"], ["(3,2,1)", "\\{3;2;1\\}"]],
  ["1;2;3", ["3,2,1", "\\{1;2;3\\}"], ["1;2", "1;2;4"]],
]);

const remainders: readonly Row[] = boxed([
  [
    "n\\equiv 1\\pmod 4",
    ["1\\pmod 4", "n\\equiv 5\\pmod{4}", "n\\equiv -3\\mod 4", "1\\ (\\text{mod } 4)", "n\\equiv 1\\ (\\bmod\\ 4)"],
    ["n\\equiv 1\\pmod 3", "n\\equiv 2\\pmod 4", "1", "n=1", "n\\equiv 1\\pmod 8"],
  ],
  ["2", ["7\\bmod 5", "12\\bmod 10"], ["2\\pmod 5", "7\\bmod 4", "2\\mod 5"]],
]);

describe.each([
  ["sentences", sentences],
  ["chains of equations", chains],
  ["letters with values", choices],
  ["matrices", matrices],
  ["sets of numbers", sets],
  ["lists with semicolons", lists],
  ["remainders", remainders],
] as const)("%s", (_, rows) => {
  test.for(rows)("%s", ([gold, right, wrong]) => {
    const judge = (reply: string): boolean => gradeMaths(reply, gold, { bareGold: true }).correct;
    expect({
      refused: right.filter((reply) => !judge(reply)),
      accepted: wrong.filter((reply) => judge(reply)),
    }).toEqual({ refused: [], accepted: [] });
  });
});
