import type { Written } from "../row.ts";
import { boxed, sheet } from "./sheet.ts";

const raw = String.raw;

/** Answers that are made of several. */
export const parts: readonly Written[] = [
  ...boxed(
    ...(["maths", "list", "lists by hand"] as const),
    [
      "1, 2, 3",
      [
        "3, 2, 1",
        raw`\{1,2,3\}`,
        raw`1,\ 2,\ 3`,
        raw`1, 2 \text{ and } 3`,
        raw`x=1,2,3`,
        raw`1;2;3`,
        raw`1, 2, 3, 3`,
        raw`x = 1, x = 2, x = 3`,
        raw`1,2,\text{ or }3`,
      ],
      ["1, 2", "123", "1, 2, 3, 4", "1.2.3", raw`1, 2, -3`, "6", raw`1 + 2 + 3`],
    ],
    [
      raw`\frac12, -3`,
      [raw`-3, \frac{1}{2}`, raw`x=-3 \text{ or } x=0.5`, raw`-3 \text{ and } 1/2`, raw`\left\{-3,\tfrac12\right\}`],
      [raw`\frac12, 3`, "-3", raw`\frac12`, raw`-\frac12, 3`, raw`2, -3`],
    ],
    [
      raw`\pm 5`,
      [raw`5, -5`, raw`x = \pm 5`, raw`-5 \text{ or } 5`, raw`\mp 5`, raw`\{-5, 5\}`],
      ["5", "-5", raw`\pm\sqrt5`, "25", raw`\pm 25`],
    ],
    ["58,500", ["58500", raw`58{,}500`, "58,500"], ["58, 501", "58", "500", "5850"]],
  ),
  ...boxed(
    ...(["maths", "interval", "intervals by hand"] as const),
    [
      "[0,1)",
      [raw`0 \le x < 1`, raw`\left[0,1\right)`, raw`[0, 1)`, raw`x \in [0,1)`, raw`[0,1[`, raw`\{x : 0 \le x < 1\}`],
      ["(0,1]", "[0,1]", "(0,1)", raw`0 < x \le 1`, "[0,2)", "0, 1", raw`\{0, 1\}`, "0"],
    ],
    [
      raw`(-\infty, 3]`,
      [raw`x \le 3`, raw`3 \ge x`, raw`(-∞,3]`, raw`]-\infty,3]`, raw`x\leqslant 3`],
      [raw`x < 3`, raw`x \ge 3`, raw`[3,\infty)`, raw`(-\infty,3)`, raw`(-\infty,-3]`, "3"],
    ],
    [
      raw`(-\infty,\infty)`,
      [raw`\mathbb{R}`, raw`(-∞, ∞)`, raw`x \in \mathbb{R}`, raw`-\infty < x < \infty`, raw`\text{all real numbers}`],
      [raw`(0,\infty)`, raw`\emptyset`, raw`\mathbb{Z}`, raw`[0,\infty)`, raw`\infty`],
    ],
    [
      raw`\emptyset`,
      [raw`\varnothing`, raw`\{\}`, "∅", raw`\{ \}`],
      [raw`\{0\}`, "0", raw`\{\emptyset\}`, raw`\mathbb{R}`],
    ],
    [
      raw`(-\infty,0)\cup(0,\infty)`,
      [raw`\mathbb{R} \setminus \{0\}`, raw`x \ne 0`, raw`(0,\infty)\cup(-\infty,0)`, raw`x<0 \text{ or } x>0`],
      [raw`\mathbb{R}`, raw`(-\infty,0]\cup(0,\infty)`, raw`(0,\infty)`, raw`x \ne 1`],
    ],
  ),
  ...boxed(
    ...(["maths", "tuple", "tuples by hand"] as const),
    [
      "(1, 2)",
      [
        raw`\left( 1, 2 \right)`,
        "(1,2)",
        raw`(x,y)=(1,2)`,
        raw`x=1,\ y=2`,
        raw`x=1 \text{ and } y=2`,
        raw`(\frac22, 2)`,
        raw`\langle 1,2\rangle`,
        raw`\begin{pmatrix}1\\2\end{pmatrix}`,
      ],
      ["(2,1)", "[1,2]", "(1,2]", "(1;3)", "12", raw`\{2,1\}`, "1.2", "(1,2,2)", raw`(-1,-2)`],
    ],
    [
      raw`\left(-\frac12, \sqrt3\right)`,
      [raw`(-0.5, \sqrt{3})`, raw`(-1/2,\sqrt3)`, raw`\left(\frac{-1}{2},3^{1/2}\right)`],
      [raw`(\frac12,\sqrt3)`, raw`(\sqrt3,-\frac12)`, raw`(-\frac12,-\sqrt3)`, raw`-\frac{\sqrt3}{2}`],
    ],
    [
      raw`(0,0), (1,1)`,
      [raw`(1,1), (0,0)`, raw`(0,0) \text{ and } (1,1)`, raw`\{(0,0),(1,1)\}`, raw`(x,y) = (0,0), (1,1)`],
      [raw`(0,0)`, raw`(0,1),(1,0)`, raw`(0,0,1,1)`, raw`(1,1)`],
    ],
  ),
  ...boxed(
    ...(["maths", "matrix", "matrices by hand"] as const),
    [
      raw`\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}`,
      [
        raw`\begin{bmatrix}1&0\\0&1\end{bmatrix}`,
        raw`\left(\begin{matrix}1&0\\0&1\end{matrix}\right)`,
        raw`\begin{pmatrix} 1.0 & 0 \\ 0 & \frac{2}{2} \end{pmatrix}`,
        raw`\left[\begin{array}{cc}1&0\\0&1\end{array}\right]`,
      ],
      [
        raw`\begin{pmatrix} 0 & 1 \\ 1 & 0 \end{pmatrix}`,
        raw`\begin{pmatrix} 1 & 0 & 0 & 1 \end{pmatrix}`,
        raw`\begin{pmatrix} 1 & 0 \\ 0 & -1 \end{pmatrix}`,
        "1",
        raw`\begin{pmatrix} 1 & 0 \end{pmatrix}`,
      ],
    ],
    [
      raw`\begin{pmatrix} \frac12 & 3 \end{pmatrix}`,
      [raw`\begin{pmatrix} 0.5 & 3 \end{pmatrix}`, raw`\begin{bmatrix} 1/2 & 3 \end{bmatrix}`],
      [
        raw`\begin{pmatrix} \frac12 \\ 4 \end{pmatrix}`,
        raw`\begin{pmatrix} 3 & \frac12 \end{pmatrix}`,
        raw`\begin{pmatrix} \frac13 & 3 \end{pmatrix}`,
      ],
    ],
  ),
  ...boxed(
    ...(["maths", "equation", "equations by hand"] as const),
    [
      "5",
      [
        "x=5",
        raw`x = 2+3 = 5`,
        raw`2+3=5`,
        raw`f(2)=5`,
        raw`m+n = 5`,
        raw`a_5 = 5`,
        raw`\text{Total} = 5`,
        raw`AB = 5`,
        "5 = x",
        raw`x \to 5`.replace("x \\to 5", "x=5.0"),
      ],
      ["x=6", raw`x \ne 5`, raw`x > 5`, raw`x \approx 6`, raw`5 = 5 + 1`, raw`x^2 = 5`, raw`5x = 5`, "x", "x + 5"],
    ],
    [
      "y = 2x + 3",
      [
        raw`y=3+2x`,
        raw`2x-y+3=0`,
        raw`y-3=2x`,
        raw`-2x + y = 3`,
        "f(x) = 2x+3".replace("f(x)", "y"),
        raw`x = \frac{y-3}{2}`,
      ],
      [raw`y=2x-3`, raw`y = 3x+2`, raw`x=2y+3`, "2x - 3", "y = 2", raw`y > 2x+3`, raw`y = 2x + 3 + z`],
    ],
    [
      raw`x^2+y^2=25`,
      [raw`y^2 = 25 - x^2`, raw`x^2+y^2-25=0`, raw`x^2+y^2=5^2`, raw`\frac{x^2}{25}+\frac{y^2}{25}=1`],
      [raw`x^2+y^2=5`, raw`x^2-y^2=25`, raw`x+y=5`, "25", raw`x^2+y^2 \le 25`],
    ],
    [
      raw`1 \pmod 4`,
      [raw`n \equiv 1 \pmod{4}`, raw`5 \pmod 4`, raw`x \equiv 1 \pmod 4`],
      [raw`3 \pmod 4`, raw`1 \pmod 3`, raw`n \equiv 2 \pmod 4`],
    ],
  ),
  ...boxed(
    ...(["maths", "inequality", "inequalities by hand"] as const),
    [
      raw`x > 3`,
      ["3 < x", raw`(3,\infty)`, raw`x\in(3,\infty)`, raw`2x > 6`, raw`x \gt 3`, raw`-x < -3`],
      [raw`x \ge 3`, "x < 3", raw`[3,\infty)`, "x = 3", raw`x > -3`, raw`y > x`, "3"],
    ],
    [
      raw`-2 \le x \le 2`,
      [raw`[-2,2]`, raw`|x| \le 2`, raw`2 \ge x \ge -2`, raw`x \ge -2 \text{ and } x \le 2`],
      [raw`-2 < x < 2`, raw`(-2,2)`, raw`|x| < 2`, raw`|x| \ge 2`, raw`x \le 2`, raw`\pm 2`],
    ],
  ),
  ...boxed(
    ...(["maths", "base", "bases by hand"] as const),
    [
      "1101_2",
      [raw`1101_2`, raw`1101_{2}`, raw`1101_{\text{two}}`.replace("two", "2"), raw`(1101)_2`],
      ["1101_3", "1011_2", "1101_{10}", "11010_2"],
    ],
    [
      raw`2A_{16}`,
      [raw`2A_{16}`, raw`2a_{16}`, raw`2\mathrm{A}_{16}`, raw`\text{2A}_{16}`],
      [raw`2B_{16}`, "2A_{15}", raw`A2_{16}`],
    ],
  ),
  ...boxed(
    ...(["maths", "clock", "clock and ratio"] as const),
    [
      raw`10:30 \text{ a.m.}`,
      [raw`10:30\text{ AM}`, raw`10:30~\text{a.m.}`, raw`\text{10:30 a.m.}`, "10:30"],
      [raw`10:30 \text{ p.m.}`, "10:03", "1:3", "10.30", "20:60", raw`10:31\text{ a.m.}`],
    ],
    ["2:3", ["2:3", "4:6", raw`\frac23`, "2 : 3", raw`2\colon 3`], ["3:2", "2:5", "2", "23", "2:3:1"]],
    ["1:2:3", ["1:2:3", "1 : 2 : 3"], ["3:2:1", "1:2", "1:2:4", "6"]],
  ),
  ...sheet(
    ...(["maths", "words", "words by hand"] as const),
    [
      raw`\text{even}`,
      [
        raw`\boxed{\text{even}}`,
        raw`\boxed{even}`,
        "The answer is even.",
        raw`\boxed{\text{Even}}`,
        raw`**Answer:** $\text{even}$`,
        raw`\boxed{\mathrm{even}}`,
      ],
      [
        raw`\boxed{\text{odd}}`,
        "The answer is odd.",
        raw`\boxed{\text{not even}}`,
        raw`\boxed{\text{neither}}`,
        "The answer is not even.",
        raw`\boxed{\text{uneven}}`,
      ],
    ],
    [
      raw`\text{July 4}`,
      [raw`\boxed{\text{July 4}}`, raw`\boxed{\text{july 4}}`, raw`\boxed{July\ 4}`],
      [raw`\boxed{\text{July 5}}`, raw`\boxed{4}`, raw`\boxed{\text{June 4}}`],
    ],
    [
      raw`\text{Evelyn}`,
      [raw`\boxed{\text{Evelyn}}`, raw`\boxed{Evelyn}`, "The answer is Evelyn.", raw`\boxed{\textbf{Evelyn}}`],
      [raw`\boxed{\text{Evan}}`, raw`\boxed{\text{Evelyn and Carla}}`, "Evelyn was fast, but the answer is Carla."],
    ],
    [
      "No",
      [raw`\boxed{\text{No}}`, raw`\boxed{no}`, "The answer is No.", raw`\boxed{\text{no}.}`],
      [raw`\boxed{\text{Yes}}`, "The answer is yes.", raw`\boxed{\text{not known}}`, raw`\boxed{n}`],
    ],
    [
      raw`\text{no solution}`,
      [raw`\boxed{\text{No solution}}`, raw`\boxed{\text{no solution}}`],
      [raw`\boxed{\text{one solution}}`, raw`\boxed{0}`, raw`\boxed{x=1}`],
    ],
  ),
];
