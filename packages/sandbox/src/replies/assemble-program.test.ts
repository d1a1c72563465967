import { describe, expect, test } from "vitest";
import { assembleProgram } from "./assemble-program.ts";
import { solutionIn } from "./solution.ts";

describe("the program of a reply", () => {
  const prompt = 'import math\n\n\ndef area(r):\n    """Of a circle."""\n';
  const body = `${prompt}    return math.pi * r * r`;
  const whole = `${prompt.trimEnd()}\n\ndef area(r):\n    return math.pi * r * r`;
  test.for([
    ["a body", "    return math.pi * r * r\n", `${body}\n`],
    ["a body from the margin", "return math.pi * r * r", body],
    [
      "a body without its first indentation, with an empty line",
      "for i in range(2):\n        r += i\n\n    return r",
      `${prompt}    for i in range(2):\n        r += i\n\n    return r`,
    ],
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

test("a prompt with a comment for a body gets one", () => {
  expect(assembleProgram("def f(x):\n    # Twice x.\n", "f = lambda x: 2 * x", "f")).toBe(
    "def f(x):\n    # Twice x.\n    pass\n\nf = lambda x: 2 * x",
  );
});

test.for([
  ["deep brackets", "(".repeat(5000)],
  ["deep lists", "> - ".repeat(5000)],
  ["many fences", "```python\n".repeat(5000)],
  ["many names", `\`\`\`python\nf(${"a, ".repeat(5000)})\n\`\`\``],
  ["wide margins", `${"\t".repeat(40_000)}x`],
  ["tags", "<think></think> ".repeat(5000)],
  ["characters that no text has", "\0\uD800\u2028```\uFFFF\n```"],
] as const)("reads a hostile reply: %s", ([, reply]) => {
  for (const entryPoint of ["f", "constructor", "__proto__", null])
    expect(typeof (solutionIn(reply, entryPoint) ?? "")).toBe("string");
});
