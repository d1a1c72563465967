import type { Written } from "../row.ts";
import { sheet } from "./sheet.ts";

const raw = String.raw;

/** Characters that show nothing, that show the same, and that show something else. */
export const characters: readonly Written[] = [
  ...sheet(
    ...(["maths", "characters", "invisible characters"] as const),
    [
      "123",
      [
        "\\boxed{\u200b123}",
        "\\boxed{1\u200b23}",
        "\\boxed{123\ufeff}",
        "\\boxed{\u200e123\u200f}",
        "\\boxed{\u2066123\u2069}",
        "\\boxed{12\u20603}",
        "\\boxed{\u00a0123}",
        "The answer is \u200b123.",
        "\\boxed{\uff11\uff12\uff13}",
        "\\boxed\u200b{123}",
        "\\boxed{\u00ad123}",
        "\\boxed{123\u200d}",
      ],
      [
        "\\boxed{\u202e321}",
        "\\boxed{\u202e123}",
        "\\boxed{1\u200b2}",
        "\\boxed{\u202d321\u202c}",
        "\\boxed{\u00b9\u00b2\u00b3}",
        "\\boxed{\u2460\u2461\u2462}",
        "\\boxed{12\u20e33}",
        "\\boxed{l23}",
      ],
    ],
    [
      raw`\frac12`,
      ["\\boxed{\u00bd}", "\\boxed{\\frac\u200b12}", "\\boxed{1\u20442}", "\\boxed{1\u22152}"],
      ["\\boxed{\u2153}", "\\boxed{1\u00bd}", "\\boxed{\u00bc}"],
    ],
    [
      "x^2",
      ["\\boxed{x\u00b2}", "\\boxed{x^\u200b2}", "\\boxed{\uff58^2}"],
      ["\\boxed{x\u00b3}", "\\boxed{x2}", "\\boxed{\u03c7^2}", "\\boxed{\u0445^3}"],
    ],
    [
      "-4",
      ["\\boxed{\u22124}", "\\boxed{\u20134}", "\\boxed{\uff0d4}", "\\boxed{\ufe634}"],
      ["\\boxed{4}", "\\boxed{\u00b14}", "\\boxed{~4}", "\\boxed{\u00ac4}"],
    ],
    [
      raw`2\sqrt{3}`,
      ["\\boxed{2\u221a3}", "\\boxed{2\u221a{3}}", "\\boxed{2\u221a(3)}", "\\boxed{2\u00b7\u221a3}"],
      ["\\boxed{2\u221b3}", "\\boxed{2\u221a\u0033\u0033}"],
    ],
    [
      raw`(-\infty, 2]`,
      ["\\boxed{(-\u221e, 2]}", "\\boxed{x \u2264 2}", "\\boxed{\uff08-\u221e\uff0c2]}"],
      ["\\boxed{x < 2}", "\\boxed{x \u2265 2}", "\\boxed{(\u221e, 2]}"],
    ],
    ["3.5", ["\\boxed{\uff13\uff0e\uff15}", "\\boxed{3.5}"], ["\\boxed{3\u00b75}", "\\boxed{35}"]],
  ),
  ...sheet(
    ...(["numeric", "characters", "invisible characters"] as const),
    [
      "123",
      [
        "#### \u200b123",
        "#### 1\u200b23",
        "#### 123\u200b",
        "\ufeff123",
        "The answer is \u00a0123.",
        "#### \uff11\uff12\uff13",
        "#### \u2066123\u2069",
        "####\u00a0123",
        "The answer\u00a0is 123.",
      ],
      ["#### \u202e321", "#### \u202e123", "#### 12\u200b", "#### \u202d321\u202c", "#### 1\u200b2\u200b4"],
    ],
    ["-8", ["#### \u22128", "#### \u20138", "#### \uff0d8"], ["#### 8", "#### \u00b18"]],
    [
      "2000",
      [
        "#### 2\u00a0000",
        "#### 2\u202f000",
        "#### 2,000",
        "#### 2\u2009000",
        "#### 2'000",
        "#### \uff12\uff0c\uff10\uff10\uff10",
      ],
      ["#### 2.001", "#### 2,001", "#### 200\u00a00.5"],
    ],
  ),
  ...sheet(...(["letter", "characters", "invisible characters"] as const), [
    "C",
    [
      "The answer is \u200bC.",
      "\ufeffC",
      "The answer is \uff23.",
      "(\u200eC\u200e)",
      "\\boxed{\u200bC}",
      "\uff08C\uff09",
      "**\u200bC**",
    ],
    ["The answer is \u0421.", "The answer is \u216d.", "\u202eC", "The answer is \u00a9."],
  ]),
  ...sheet(...(["text", "characters", "invisible characters"] as const), [
    "Oslo",
    ["#### \u200bOslo", "#### Os\u200blo", "#### Oslo\ufeff", "#### \u00a0Oslo", "#### \uff2fslo"],
    ["#### \u202eolsO", "#### 0slo", "#### \u041eslo", "#### Os lo"],
  ]),
];
