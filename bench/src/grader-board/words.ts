import { grouped, type Template } from "./row.ts";

const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const pairs = [
  ["even", "odd"],
  ["Yes", "No"],
  ["True", "False"],
  ["convergent", "divergent"],
  ["ellipse", "hyperbola"],
  ["increasing", "decreasing"],
] as const;
const people = ["Ada Lovelace", "Emmy Noether", "Alan Turing", "Sofia Kovalevskaya"] as const;
const cities = ["New York", "San José", "Buenos Aires", "Göttingen", "St. Petersburg", "Kraków"] as const;

/** Words, letters, texts, and the numbers of word problems. */
export const words: readonly Template[] = [
  {
    kind: "maths",
    rule: "words",
    tag: "word",
    make(draw) {
      const [one, other] = draw.pick([...pairs, ...days.map((day, i) => [day, days[(i + 1) % 7] as string] as const)]);
      return {
        gold: draw.pick([`\\text{${one}}`, one]),
        right: [
          `\\text{${one}}`,
          `\\text{${one.toLowerCase()}}`,
          `\\textbf{${one}}`,
          `\\mathrm{${one}}`,
          { reply: `The answer is ${one}.` },
          { reply: `\\boxed{${one}}` },
        ],
        wrong: [
          `\\text{${other}}`,
          `\\text{not ${one}}`,
          { reply: `The answer is not ${one}.` },
          `\\text{${one} or ${other}}`,
          { reply: `The answer is ${other}.` },
          "7",
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "choice",
    tag: "choice in mathematics",
    make(draw) {
      const letters = ["A", "B", "C", "D", "E"] as const;
      const at = draw.whole(0, 4);
      const [a, b] = [letters[at] as string, letters[(at + draw.whole(1, 4)) % 5] as string];
      const n = draw.whole(10, 99);
      return {
        gold: draw.pick([`\\text{(${a})}`, a, `(${a})`, `\\text{${a}}`]),
        right: [`\\text{(${a})}`, a, `(${a})`, `\\textbf{(${a})}`, `\\textbf{(${a}) } ${n}`, `\\text{${a}}`],
        wrong: [`\\text{(${b})}`, b, `\\textbf{(${b}) } ${n}`, `\\text{(${a}) or (${b})}`, String(n)],
      };
    },
  },
  {
    kind: "numeric",
    rule: "same-number",
    tag: "word problem",
    make(draw) {
      const n = draw.whole(2, draw.pick([99, 4000, 250_000]));
      return {
        gold: draw.pick([String(n), grouped(n), `They make ${n + 3} and lose 3.\n#### ${n}`]),
        right: [String(n), grouped(n), `$${grouped(n)}`, `${n}.00`, `${n} apples`, `${n}%`, `$${n}.00`, `${n} dollars`],
        wrong: [String(n + 1), `-${n}`, `${n}.5`, `${n}0`, `$${n + 10}`, `0.${n}`, `${n + 2} apples`],
      };
    },
  },
  {
    kind: "numeric",
    rule: "same-number",
    tag: "decimal in a word problem",
    make(draw) {
      const n = (draw.whole(101, 9999) / 100).toFixed(2);
      const [whole, places] = n.split(".") as [string, string];
      return {
        gold: n,
        right: [n, `$${n}`, `${n}0`, `${n} euros`, `€${n}`],
        wrong: [
          ...(places === "00" ? [`${whole}.01`] : [whole]),
          `${whole}${places}`,
          `$${Number(whole) + 1}.${places}`,
          `-${n}`,
          `${whole}.${places}1`,
        ],
      };
    },
  },
  {
    kind: "numeric",
    rule: "revised",
    tag: "revised number",
    make(draw) {
      const n = draw.whole(11, 900);
      const m = draw.other(11, 900, n);
      return {
        gold: String(n),
        right: [
          { reply: `The answer is ${m}. Wait, that counts Sunday twice. The answer is ${n}.` },
          { reply: `#### ${m}\n\nActually, I made a mistake.\n\n#### ${n}` },
          { reply: `So \\boxed{${m}}. Hmm, no: ${m} is the number of wheels. \\boxed{${n}}` },
          { reply: `<think>The answer is ${m}.</think>The answer is ${n}.` },
          { reply: `The answer is not ${m}. The answer is ${n}.` },
        ],
        wrong: [
          { reply: `The answer is ${n}. Wait, that counts Sunday twice. The answer is ${m}.` },
          { reply: `#### ${n}\n\nActually, I made a mistake.\n\n#### ${m}` },
          { reply: `So \\boxed{${n}}. Hmm, no: ${n} is the number of wheels. \\boxed{${m}}` },
          { reply: `<think>The answer is ${n}.</think>The answer is ${m}.` },
          { reply: `The answer is not ${n}. The answer is ${m}.` },
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "revised",
    tag: "revised in mathematics",
    make(draw) {
      const n = draw.whole(11, 900);
      const m = draw.other(11, 900, n);
      const say = (a: number, b: number): { readonly reply: string }[] => [
        { reply: `So the answer is $\\boxed{${a}}$.\n\nWait, I missed a case. The answer is $\\boxed{${b}}$.` },
        { reply: `\\boxed{${a}}, but that is wrong: the sign is lost. Therefore \\boxed{${b}}` },
        { reply: `The answer is $${a}$. Correction: the answer is $${b}$.` },
        { reply: `<think>\\boxed{${a}}</think>\n\n\\boxed{${b}}` },
        { reply: `Not $\\boxed{${a}}$ and so $\\boxed{${b}}$.` },
        { reply: `I thought it was ${a}. Redoing the sum, the answer is ${b}.` },
      ];
      return { gold: String(n), right: say(m, n), wrong: say(n, m) };
    },
  },
  {
    kind: "maths",
    rule: "hedge",
    tag: "guesses",
    make(draw) {
      const n = draw.whole(3, 90);
      return {
        gold: String(n),
        right: [
          String(n),
          { reply: `I am not sure, but my answer is \\boxed{${n}}.` },
          { reply: `Probably \\boxed{${n}}.` },
        ],
        wrong: [
          `${n} \\text{ or } ${n + 1}`,
          { reply: `Either $\\boxed{${n - 1}}$ or $\\boxed{${n}}$.` },
          `${n - 1}, ${n}, ${n + 1}`,
          `${n}\\text{ (or maybe ${n + 2})}`,
          `${n - 1} < x < ${n + 1}`,
          `[${n}, ${n + 1}]`,
          `${n} \\pm 1`,
          `${n}\\text{, perhaps }${n + 1}`,
          `${n}\\text{ or }${n + 1}\\text{ or }${n + 2}`,
          `\\{${n}, ${n + 1}\\}`,
          `${n}-${n + 2}`,
        ],
      };
    },
  },
  {
    kind: "numeric",
    rule: "hedge",
    tag: "guesses at a number",
    make(draw) {
      const n = draw.whole(3, 90);
      return {
        gold: String(n),
        right: [{ reply: `It is hard to say, but I get ${n}.\n#### ${n}` }, { reply: `I think the answer is ${n}.` }],
        wrong: [
          { reply: `#### ${n - 1} or ${n}` },
          { reply: `The answer is either ${n} or ${n + 1}.` },
          { reply: `The answer is between ${n} and ${n + 4}.` },
          { reply: `The answer is ${n} or ${n + 1}.` },
          { reply: `\\boxed{${n}} or \\boxed{${n + 1}}` },
          { reply: `#### ${n}, ${n + 1}, ${n + 2}` },
          { reply: `\\boxed{${n + 1} \\text{ or } ${n}}` },
        ],
      };
    },
  },
  {
    kind: "letter",
    rule: "choice",
    tag: "letter",
    make(draw) {
      const letters = ["A", "B", "C", "D", "E"] as const;
      const at = draw.whole(0, 4);
      const a = letters[at] as string;
      const b = letters[(at + draw.whole(1, 4)) % 5] as string;
      return {
        gold: a,
        right: [
          a,
          a,
          a,
          { reply: `The answer is not ${b}. The answer is ${a}.` },
          { reply: `(${b}) fails the second condition, so the answer is (${a}).` },
          { reply: `The answer is ${b}. Wait, I misread the table. The answer is ${a}.` },
          { reply: `answer: ${a.toLowerCase()}` },
        ],
        wrong: [
          b,
          b,
          b,
          { reply: `The answer is not ${a}.` },
          { reply: `The answer is ${a}. Wait, I misread the table. The answer is ${b}.` },
          { reply: `(${a}) fails the second condition, so the answer is (${b}).` },
          { reply: `The answer is ${a} or ${b}.` },
          { reply: `Both ${a} and ${b} could be right.` },
        ],
      };
    },
  },
  {
    kind: "text",
    rule: "text",
    tag: "text",
    make(draw) {
      const i = draw.whole(0, 9);
      const all = [...people, ...cities];
      const [a, b] = [all[i] as string, all[(i + draw.whole(1, 9)) % 10] as string];
      return {
        gold: a,
        right: [a, a.normalize("NFD"), `**${a}**`, `  ${a}  `, a.replace(" ", "  ")],
        wrong: [
          b,
          `not ${a}`,
          `${a} or ${b}`,
          a.toUpperCase(),
          `${a} Junior`,
          a.slice(0, -1),
          { reply: `It may have been ${a}, I am not sure.\n#### ${b}` },
        ],
      };
    },
  },
];
