import type { Template } from "./row.ts";

const capital = ["A", "P", "M", "Q"] as const;

/** Lists, tuples, intervals, sets, matrices, equations, inequalities. */
export const collections: readonly Template[] = [
  {
    kind: "maths",
    rule: "list",
    tag: "two answers",
    make(draw) {
      const a = draw.whole(-20, 20);
      const b = draw.other(-20, 20, a, -a);
      const x = draw.pick(["x", "n", "k", "t"]);
      return {
        gold: `${a}, ${b}`,
        right: [
          `${b}, ${a}`,
          `${x}=${a} \\text{ or } ${x}=${b}`,
          `${x}=${b}, ${a}`,
          `\\{${a}, ${b}\\}`,
          `${a} \\text{ and } ${b}`,
          `${x}=${a}, ${x}=${b}`,
          { reply: `The solutions are $\\boxed{${b}}$ and $\\boxed{${a}}$.` },
          { reply: `Answer: $${x} = ${a}$ or $${x} = ${b}$.` },
          { reply: `\\boxed{${a}}, \\boxed{${b}}` },
        ],
        wrong: [
          String(a),
          String(b),
          `${a}, ${b}, ${b + 1 === a ? b + 2 : b + 1}`,
          `${a}, ${b + 1 === a ? b - 1 : b + 1}`,
          `${x}=${a}`,
          a + b === 0 ? "7, 8, 9" : `${a + b}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "list",
    tag: "many answers",
    make(draw) {
      const start = draw.whole(1, 9);
      const all = [start, start + draw.whole(1, 5), start + draw.whole(7, 12), start + draw.whole(14, 20)];
      return {
        gold: all.join(","),
        right: [
          all.toReversed().join(", "),
          `${all.slice(0, 3).join(", ")} \\text{ and } ${all[3]}`,
          `${all.slice(0, 3).join(", ")}, \\text{ and } ${all[3]}`,
          `\\{${[all[2], all[0], all[3], all[1]].join(",")}\\}`,
          `${all[1]};${all[0]};${all[2]};${all[3]}`,
          `n = ${all.join(", ")}`,
        ],
        wrong: [
          all.slice(0, 3).join(", "),
          [...all, (all[3] as number) + 1].join(", "),
          [...all.slice(0, 3), (all[3] as number) + 1].join(", "),
          all.join(""),
          String(all.reduce((a, b) => a + b, 0)),
          String(all.length + 100),
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "list",
    tag: "plus or minus",
    make(draw) {
      const [a, m] = [draw.whole(1, 9), draw.pick([2, 3, 5, 7, 11])];
      return {
        gold: `${a} \\pm \\sqrt{${m}}`,
        right: [
          `${a}+\\sqrt{${m}}, ${a}-\\sqrt{${m}}`,
          `${a}-\\sqrt{${m}} \\text{ or } ${a}+\\sqrt{${m}}`,
          `x = ${a} \\pm \\sqrt{${m}}`,
          `\\frac{${2 * a} \\pm \\sqrt{${4 * m}}}{2}`,
          `${a} \\mp \\sqrt{${m}}`,
        ],
        wrong: [
          `${a}+\\sqrt{${m}}`,
          `${a}-\\sqrt{${m}}`,
          `${a + 1} \\pm \\sqrt{${m}}`,
          `${a} \\pm ${m}`,
          `-${a} \\pm \\sqrt{${m}}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "tuple",
    tag: "point",
    make(draw) {
      const a = draw.whole(-15, 15);
      const b = draw.other(-15, 15, a, -a);
      const p = draw.pick(capital);
      return {
        gold: `(${a}, ${b})`,
        right: [
          `\\left(${a},${b}\\right)`,
          `( ${a} ,\\, ${b} )`,
          `(x, y) = (${a}, ${b})`,
          `(${a}.0, ${b})`,
          `${p} = (${a}, ${b})`,
          `x=${a}, y=${b}`,
          { reply: `The point is $${p}(${a}, ${b})$, so the answer is $\\boxed{(${a},${b})}$.` },
        ],
        wrong: [
          `(${b}, ${a})`,
          `(${a}, ${-b === b ? b + 1 : -b})`,
          `(${a}, ${b}, 0)`,
          `(${a + 1}, ${b})`,
          `[${a}, ${b}]`,
          `${a}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "tuple",
    tag: "triple",
    make(draw) {
      const [a, m, d] = [draw.whole(2, 9), draw.pick([2, 3, 5]), draw.pick([3, 4, 7])];
      const gold = `\\left(${a}, \\sqrt{${m}}, \\frac{1}{${d}}\\right)`;
      return {
        gold,
        right: [
          `(${a},\\sqrt{${m}},1/${d})`,
          `\\left(\\frac{${2 * a}}{2}, \\sqrt{${m}}, \\dfrac{1}{${d}}\\right)`,
          `(x,y,z)=(${a},\\sqrt{${m}},\\frac1${d})`,
        ],
        wrong: [
          `(${a},\\frac{1}{${d}},\\sqrt{${m}})`,
          `(${a},\\sqrt{${m}})`,
          `(${a},${m},\\frac{1}{${d}})`,
          `(${a},\\sqrt{${m}},${d})`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "tuple",
    tag: "polar",
    make(draw) {
      const [r, k, d] = [draw.whole(2, 12), draw.pick([1, 3, 5, 7]), draw.pick([2, 4, 8])];
      return {
        gold: `\\left( ${r}, \\frac{${k}\\pi}{${d}} \\right)`,
        right: [
          `(${r}, ${k}\\pi/${d})`,
          `(${r}, \\tfrac{${k}}{${d}}\\pi)`,
          `(r,\\theta) = \\left(${r},\\frac{${k}\\pi}{${d}}\\right)`,
        ],
        wrong: [
          `(${r}, \\frac{${k + 2}\\pi}{${d}})`,
          `(\\frac{${k}\\pi}{${d}}, ${r})`,
          `(${r}, ${(180 * k) / d})`,
          `(-${r}, \\frac{${k}\\pi}{${d}})`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "interval",
    tag: "interval",
    make(draw) {
      const a = draw.whole(-12, 8);
      const b = a + draw.whole(2, 15);
      const [open, close] = draw.pick([
        ["[", ")"],
        ["(", "]"],
        ["[", "]"],
        ["(", ")"],
      ] as const);
      const [low, high] = [open === "[" ? "\\le" : "<", close === "]" ? "\\le" : "<"];
      const [up, down] = [open === "[" ? "\\geq" : ">", close === "]" ? "\\geq" : ">"];
      return {
        gold: `${open}${a},${b}${close}`,
        right: [
          `\\left${open}${a}, ${b}\\right${close}`,
          `${a} ${low} x ${high} ${b}`,
          `${b} ${down} x ${up} ${a}`,
          `x \\in ${open}${a}, ${b}${close}`,
          `${open} ${a} , ${b} ${close}`,
        ],
        wrong: [
          `${open === "[" ? "(" : "["}${a},${b}${close}`,
          `${open}${a},${b}${close === "]" ? ")" : "]"}`,
          `${open}${a},${b + 1}${close}`,
          `${a} ${low === "<" ? "\\le" : "<"} x ${high} ${b}`,
          `x ${high} ${b}`,
          `${open}${-b},${-a}${close}`,
        ].slice(0, a + b === 0 ? 5 : 6),
      };
    },
  },
  {
    kind: "maths",
    rule: "interval",
    tag: "ray",
    make(draw) {
      const a = draw.whole(-12, 12);
      const closed = draw.pick([true, false]);
      const [bracket, more, less] = closed ? ["[", "\\ge", "\\leq"] : ["(", ">", "<"];
      return {
        gold: `${bracket}${a},\\infty)`,
        right: [
          `x ${more} ${a}`,
          `${a} ${less} x`,
          `\\left${bracket}${a}, +\\infty\\right)`,
          `${bracket}${a},∞)`,
          `x \\in ${bracket}${a},\\infty)`,
        ],
        wrong: [
          `x ${less} ${a}`,
          `(-\\infty,${a}${closed ? "]" : ")"}`,
          closed ? `(${a},\\infty)` : `[${a},\\infty)`,
          `x ${closed ? ">" : "\\ge"} ${a}`,
          `${bracket}${a + 1},\\infty)`,
          `${bracket}-\\infty, ${a})`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "interval",
    tag: "union",
    make(draw) {
      const a = draw.whole(-12, 0);
      const b = a + draw.whole(2, 9);
      return {
        gold: `(-\\infty, ${a}) \\cup (${b}, \\infty)`,
        right: [
          `(${b},\\infty)\\cup(-\\infty,${a})`,
          `x < ${a} \\text{ or } x > ${b}`,
          `x \\in (-\\infty,${a}) \\cup (${b},+\\infty)`,
          `(-∞, ${a}) ∪ (${b}, ∞)`,
        ],
        wrong: [
          `(-\\infty, ${a}] \\cup [${b}, \\infty)`,
          `(${a}, ${b})`,
          `(-\\infty, ${a}) \\cap (${b}, \\infty)`,
          `(-\\infty, ${b}) \\cup (${a}, \\infty)`,
          `x > ${b}`,
          `${a} < x < ${b}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "set",
    tag: "set",
    make(draw) {
      const a = draw.whole(-9, 5);
      const [b, c] = [a + draw.whole(1, 4), a + draw.whole(6, 11)];
      return {
        gold: `\\{${a}, ${b}, ${c}\\}`,
        right: [
          `\\left\\{${c}, ${a}, ${b}\\right\\}`,
          `\\{${b},${c},${a}\\}`,
          `\\{${a},${a},${b},${c}\\}`,
          `\\lbrace ${a}, ${b}, ${c} \\rbrace`,
          `${a}, ${b}, ${c}`,
          `S = \\{${a}, ${b}, ${c}\\}`,
        ],
        wrong: [
          `\\{${a}, ${b}\\}`,
          `\\{${a}, ${b}, ${c + 1}\\}`,
          `\\{${a}, ${b}, ${c}, ${c + 1}\\}`,
          `(${c}, ${b}, ${a})`,
          `\\{${c}\\}`,
          `\\emptyset`,
        ],
      };
    },
  },
];
