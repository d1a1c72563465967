import { expect, test } from "vitest";
import { publishedCode } from "./code-grader.ts";

const cases = { cases: [], entryPoint: null };
const code = { prompt: "def f():\n", entryPoint: "f", test: "" };

test.for([
  ["LiveCodeBench", cases, "A\n```python\na\nb\n```\nB", "a\nb"],
  ["LiveCodeBench", cases, "```\na\n```\n~~~\nb\n~~~\nrun `` ` ``\n    ```c\n``` x", ""],
  ["LiveCodeBench", cases, "```\na\n```\nprose\n```", "prose"],
  ["LiveCodeBench", cases, "```\na", ""],
  ["LiveCodeBench", cases, "print(1)", ""],
  ["HumanEval", code, "    return 1\n", "def f():\n    return 1\n"],
  ["HumanEval", code, "```\nx\n```", "def f():\n```\nx\n```"],
  ["MBPP", { ...code, published: "mbpp" }, "[BEGIN]\ndef f(): pass\n[DONE]\n[BEGIN]\nx\n[DONE]", "def f(): pass"],
  ["MBPP", { ...code, published: "mbpp" }, "def f(): pass", "def f(): pass"],
  [
    "AgentPrune",
    { ...code, published: "agent-prune" },
    "```python\ndef f(): pass\n```\n",
    "from typing import *\ndef f(): pass",
  ],
  ["AgentPrune", { ...code, published: "agent-prune" }, "print(f())", "from typing import *\nrint(f())"],
] as const)("reads a reply by the rule of %s", ([, tests, reply, program]) => {
  expect(publishedCode(reply, tests)).toBe(program);
});
