import { describe, expect, test } from "vitest";
import { assembleProgram } from "./assemble-program.ts";
import { meanPassAtK, passAtK } from "./pass-at-k.ts";

describe("pass@k", () => {
  test.for([
    [10, 0, 1, 0],
    [10, 10, 1, 1],
    [10, 3, 1, 0.3],
    [5, 1, 5, 1],
    [4, 2, 2, 1 - (2 * 1) / (4 * 3)],
  ] as const)("%i samples, %i correct, k = %i", ([n, c, k, value]) => {
    expect(passAtK(n, c, k)).toBeCloseTo(value, 4);
  });
  test("is the share of draws of k that hold a correct one", () => {
    // 6 samples, 2 correct, 3 drawn: C(4, 3) of C(6, 3) draws hold none.
    expect(passAtK(6, 2, 3)).toBeCloseTo(1 - 4 / 20, 12);
  });
  test("a k that a problem has too few samples for is not reported", () => {
    expect(
      meanPassAtK(
        [
          { n: 2, c: 1 },
          { n: 1, c: 1 },
        ],
        2,
      ),
    ).toBeNull();
    expect(
      meanPassAtK(
        [
          { n: 2, c: 1 },
          { n: 2, c: 0 },
        ],
        1,
      ),
    ).toBe(0.25);
    expect(() => passAtK(1, 2, 1)).toThrow(/pass@1/u);
  });
});

describe("the program of a reply", () => {
  const prompt = 'import math\n\n\ndef area(r):\n    """Of a circle."""\n';
  const body = `${prompt}    return math.pi * r * r`;
  const whole = `${prompt.trimEnd()}\n\ndef area(r):\n    return math.pi * r * r`;
  test.for([
    ["a body", "    return math.pi * r * r\n", `${body}\n`],
    ["a body from the margin", "return math.pi * r * r", body],
    ["a function in a fence", "Sure:\n```python\ndef area(r):\n    return math.pi * r * r\n```\nDone.", `${whole}\n`],
    ["the last fence", "```\n    return 1\n```\nNo:\n```py\n    return math.pi * r * r\n```", `${body}\n`],
    ["a fence that never closes", "```python\ndef area(r):\n    return math.pi * r * r", whole],
    [
      "an import and a function",
      "import cmath\ndef area(r):\n    return 1",
      `${prompt.trimEnd()}\n\nimport cmath\ndef area(r):\n    return 1`,
    ],
  ] as const)("%s", ([, reply, program]) => {
    expect(assembleProgram(prompt, reply, "area")).toBe(program);
  });
  test("a prompt without a body gets one", () => {
    expect(assembleProgram("def f(x):\n", "def f(x):\n    return 1", "f")).toBe(
      "def f(x):\n    pass\n\ndef f(x):\n    return 1",
    );
  });
});
