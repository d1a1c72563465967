import { fraction as frac, reduced } from "./numbers.ts";
import { grouped, type Template } from "./row.ts";

/** Numbers with units, in other bases, times and ratios. */
export const measures: readonly Template[] = [
  {
    kind: "maths",
    rule: "units",
    tag: "units",
    make(draw) {
      const n = draw.whole(2, 400);
      const [unit, typed, other] = draw.pick([
        ["cm", "centimeters", "m"],
        ["m", "meters", "km"],
        ["kg", "kilograms", "g"],
        ["km", "kilometers", "miles"],
        ["hours", "hours", "minutes"],
        ["minutes", "minutes", "seconds"],
        ["feet", "ft", "inches"],
        ["cm^2", "square centimeters", "m^2"],
      ]);
      return {
        gold: `${n} \\text{ ${unit.replace("^2", "}^2")}${unit.includes("^") ? "" : "}"}`,
        right: [
          String(n),
          `${n} \\text{ ${typed}}`,
          `${n}\\,\\mathrm{${typed}}`,
          `${n}.0`,
          { reply: `The answer is ${n} ${typed}.` },
        ],
        wrong: [
          String(n + 1),
          `${n} \\text{ ${other.replace("^2", "}^2")}${other.includes("^") ? "" : "}"}`,
          `${n * 100}`,
          `${n - 1} \\text{ ${typed}}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "units",
    tag: "degrees",
    make(draw) {
      const n = draw.whole(4, 179);
      return {
        gold: draw.pick([`${n}^\\circ`, `${n}^{\\circ}`, String(n)]),
        right: [
          `${n}^\\circ`,
          `${n}^{\\circ}`,
          `${n}°`,
          `${n} \\text{ degrees}`,
          `${n}\\degree`,
          String(n),
          { reply: `The angle measures ${n} degrees.` },
        ],
        wrong: [
          `${n + 1}^\\circ`,
          `${180 - n === n ? 1 : 180 - n}^\\circ`,
          `${n}\\pi`,
          `\\frac{${n}\\pi}{180}`,
          `-${n}^\\circ`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "units",
    tag: "currency",
    make(draw) {
      const [w, c] = [draw.whole(1, 2400), draw.pick(["05", "25", "50", "75", "10", "99"])];
      const n = Number(`${w}.${c}`);
      return {
        gold: draw.pick([`${w}.${c}`, `\\$${w}.${c}`]),
        right: [
          `\\$${w}.${c}`,
          `\\$${grouped(w)}.${c}`,
          `${w}.${c} \\text{ dollars}`,
          `${w}.${c}0`,
          { reply: `The answer is $${w}.${c}.` },
          { reply: `She pays \\boxed{\\$${w}.${c}}` },
        ],
        wrong: [`\\$${w + 1}.${c}`, `\\$${w}`, `${w}${c}`, `\\$${(n + 0.01).toFixed(2)}`, `-\\$${w}.${c}`],
      };
    },
  },
  {
    kind: "maths",
    rule: "base",
    tag: "bases",
    make(draw) {
      const base = draw.whole(3, 8);
      const n = Array.from({ length: draw.whole(3, 5) }, () => draw.whole(1, base - 1)).join("");
      const changed = `${n.slice(0, -1)}${(Number(n.at(-1)) + 1) % base}`;
      return {
        gold: `${n}_{${base}}`,
        right: [`${n}_${base}`, `${n}_{${base}}`, `${n}_{\\text{${base}}}`, ` ${n}_{ ${base} } `],
        wrong: [`${n}_{${base + 1}}`, `${changed}_{${base}}`, `${n}0_{${base}}`, `-${n}_${base}`],
      };
    },
  },
  {
    kind: "maths",
    rule: "clock",
    tag: "clock",
    make(draw) {
      const hour = draw.whole(1, 4);
      const minute = draw.pick([12, 24, 36, 48]);
      const time = `${2 * hour}:${minute}`;
      return {
        gold: `${time}\\text{ p.m.}`,
        right: [
          `${time} \\text{ PM}`,
          `${time}\\text{ p.m.}`,
          { reply: `The train leaves at \\boxed{${time}\\text{ p.m.}}.` },
        ],
        wrong: [
          `${hour}:${minute / 2}\\text{ p.m.}`,
          `${time}\\text{ a.m.}`,
          `${2 * hour + 1}:${minute}\\text{ p.m.}`,
          `${2 * hour}:${minute + 1}\\text{ p.m.}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "clock",
    tag: "ratio",
    make(draw) {
      const [a, b] = reduced(draw, 12, [5, 7, 11, 13]);
      const k = draw.whole(2, 6);
      return {
        gold: `${a}:${b}`,
        right: [`${a} : ${b}`, frac(a, b), `${a * k}:${b * k}`],
        wrong: [`${b}:${a}`, `${a + 1}:${b}`, `${a}:${b + 1}`, `${a}`],
      };
    },
  },
];
