import type { Template } from "./row.ts";

/** Matrices, equations, inequalities. */
export const relations: readonly Template[] = [
  {
    kind: "maths",
    rule: "matrix",
    tag: "matrix",
    make(draw) {
      const m = Array.from({ length: 4 }, () => draw.whole(-9, 9)) as [number, number, number, number];
      if (m[1] === m[2]) m[1] += 1;
      const [a, b, c, d] = m;
      const of = (kind: string, w: number, x: number, y: number, z: number): string =>
        `\\begin{${kind}} ${w} & ${x} \\\\ ${y} & ${z} \\end{${kind}}`;
      return {
        gold: of("pmatrix", a, b, c, d),
        right: [
          of("bmatrix", a, b, c, d),
          `\\begin{pmatrix}${a}&${b}\\\\${c}&${d}\\end{pmatrix}`,
          `\\left(\\begin{array}{cc} ${a} & ${b} \\\\ ${c} & ${d} \\end{array}\\right)`,
          `\\begin{pmatrix} ${a} & ${b} \\\\ ${c} & ${d} \\\\ \\end{pmatrix}`,
          `M = ${of("pmatrix", a, b, c, d)}`,
        ],
        wrong: [
          of("pmatrix", a, c, b, d),
          of("pmatrix", a, b, c, d + 1),
          `\\begin{pmatrix} ${a} & ${b} \\end{pmatrix}`,
          `\\begin{pmatrix} ${a} & ${b} & ${c} & ${d} \\end{pmatrix}`,
          of("pmatrix", -a - 1, -b, -c, -d),
          `-${of("pmatrix", a + 20, b, c, d)}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "matrix",
    tag: "vector",
    make(draw) {
      const [a, c] = [draw.whole(-9, 9), draw.whole(-9, 9)];
      const b = draw.other(-9, 9, a);
      return {
        gold: `\\begin{pmatrix} ${a} \\\\ ${b} \\\\ ${c} \\end{pmatrix}`,
        right: [
          `\\begin{bmatrix} ${a} \\\\ ${b} \\\\ ${c} \\end{bmatrix}`,
          `\\mathbf{v} = \\begin{pmatrix} ${a} \\\\ ${b} \\\\ ${c} \\end{pmatrix}`,
          `(${a}, ${b}, ${c})`,
          `\\begin{pmatrix}${a}\\\\${b}\\\\${c}\\end{pmatrix}`,
          `\\langle ${a}, ${b}, ${c} \\rangle`,
        ],
        wrong: [
          `\\begin{pmatrix} ${b} \\\\ ${a} \\\\ ${c} \\end{pmatrix}`,
          `\\begin{pmatrix} ${a} \\\\ ${b} \\end{pmatrix}`,
          `\\begin{pmatrix} ${a} & ${b} & ${c} \\end{pmatrix}`,
          `\\begin{pmatrix} ${a} \\\\ ${b} \\\\ ${c + 1} \\end{pmatrix}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "equation",
    tag: "line",
    make(draw) {
      const [m, c] = [draw.whole(2, 9), draw.whole(1, 12)];
      return {
        gold: `y = ${m}x + ${c}`,
        right: [
          `y=${c}+${m}x`,
          `${m}x - y + ${c} = 0`,
          `y - ${c} = ${m}x`,
          `2y = ${2 * m}x + ${2 * c}`,
          `${m}x + ${c} = y`,
        ],
        wrong: [
          `y = ${m}x - ${c}`,
          `y = ${m + 1}x + ${c}`,
          `x = ${m}y + ${c}`,
          `${m}x + y + ${c} = 0`,
          `y = ${c}`,
          `y \\le ${m}x + ${c}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "equation",
    tag: "circle",
    make(draw) {
      const [a, b, r] = [draw.whole(1, 9), draw.whole(1, 9), draw.whole(2, 9)];
      return {
        gold: `(x-${a})^2+(y+${b})^2=${r * r}`,
        right: [
          `(x-${a})^{2} + (y+${b})^{2} = ${r}^2`,
          `(y+${b})^2 + (x-${a})^2 - ${r * r} = 0`,
          `x^2 - ${2 * a}x + y^2 + ${2 * b}y + ${a * a + b * b} = ${r * r}`,
          `\\frac{(x-${a})^2}{${r * r}} + \\frac{(y+${b})^2}{${r * r}} = 1`,
        ],
        wrong: [
          `(x+${a})^2+(y-${b})^2=${r * r}`,
          `(x-${a})^2+(y+${b})^2=${r}`,
          `(x-${a})^2-(y+${b})^2=${r * r}`,
          `(x-${a})^2+(y+${b})^2=${r * r + 1}`,
          `${r * r}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "equation",
    tag: "assigned",
    make(draw) {
      const n = draw.whole(2, 300);
      const x = draw.pick(["x", "n", "k", "a_n", "S", "p", "\\theta"]);
      return {
        gold: draw.pick([String(n), `${x} = ${n}`]),
        right: [
          `${x} = ${n}`,
          `${x}=${n - 1} + 1 = ${n}`,
          `${n} = ${x}`,
          String(n),
          { reply: `Solving gives $${x}=${n}$.` },
          { reply: `The answer is $${x} = ${n}$.` },
          { reply: `Therefore, ${x} = ${n}.` },
        ],
        wrong: [`${x} = ${n + 1}`, `${x} = -${n}`, `${x} \\neq ${n}`, `${x} > ${n}`, x, `${x} = ${n} + ${x}`],
      };
    },
  },
  {
    kind: "maths",
    rule: "inequality",
    tag: "inequality",
    make(draw) {
      const [a, b] = [draw.whole(1, 15), draw.whole(16, 40)];
      return {
        gold: `${a} < x \\leq ${b}`,
        right: [
          `(${a}, ${b}]`,
          `${b} \\ge x > ${a}`,
          `${a}<x≤${b}`,
          `x \\in (${a},${b}]`,
          `x > ${a} \\text{ and } x \\le ${b}`,
        ],
        wrong: [
          `${a} \\leq x \\leq ${b}`,
          `${a} < x < ${b}`,
          `[${a}, ${b})`,
          `x > ${a}`,
          `${a} < x \\leq ${b + 1}`,
          `${a} > x \\geq ${b}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "inequality",
    tag: "half-plane",
    make(draw) {
      const [a, b, c] = [draw.whole(2, 9), draw.whole(2, 9), draw.whole(3, 30)];
      return {
        gold: `${a}x + ${b}y \\le ${c}`,
        right: [
          `${b}y + ${a}x \\leq ${c}`,
          `${c} \\ge ${a}x + ${b}y`,
          `${2 * a}x + ${2 * b}y \\le ${2 * c}`,
          `-${a}x - ${b}y \\ge -${c}`,
        ],
        wrong: [
          `${a}x + ${b}y \\ge ${c}`,
          `${a}x + ${b}y < ${c}`,
          `${a}x - ${b}y \\le ${c}`,
          `${a}x + ${b}y = ${c}`,
          `${a}x + ${b}y \\le ${c + 1}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "equation",
    tag: "remainder",
    make(draw) {
      const m = draw.whole(5, 19);
      const r = draw.whole(1, m - 1);
      return {
        gold: `n \\equiv ${r} \\pmod{${m}}`,
        right: [`${r} \\pmod{${m}}`, `n \\equiv ${r + m} \\pmod{${m}}`, `x\\equiv ${r} \\pmod {${m}}`],
        wrong: [`n \\equiv ${r + 1} \\pmod{${m}}`, `n \\equiv ${r} \\pmod{${m + 1}}`, `${m} \\pmod{${r}}`],
      };
    },
  },
];
