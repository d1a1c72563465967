import { describe, expect, test } from "vitest";
import { assembleProgram } from "./assemble-program.ts";

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
