import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox } from "../create-sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { codeGrader } from "./code-grader.ts";

let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await createSandbox()));
afterAll(() => sandbox.close());

const block = (code: string, info = "python", fence = "```"): string => `${fence}${info}\n${code}\n${fence}`;
const indented = (text: string, margin: string): string => text.replaceAll(/^(?=.)/gmu, margin);
const text = (...parts: readonly string[]): string => parts.join("\n\n");

type Row = readonly [title: string, reply: string];

/** Right and wrong replies, each with what decides in its title. */
const check = (
  tests: Parameters<ReturnType<typeof codeGrader>>[1],
  right: readonly Row[],
  wrong: readonly Row[],
): void => {
  const rows = [...right.map((row) => [...row, true] as const), ...wrong.map((row) => [...row, false] as const)];
  test.for(rows)("%s", async ([, reply, correct]) => {
    const verdict = await codeGrader(sandbox)(reply, tests);
    expect(verdict, `${verdict.rule}\n${verdict.extracted}`).toMatchObject({ decided: true, correct });
  });
};

describe("grades a function", () => {
  const prompt = `from typing import List\n\n\ndef spread(xs: List[int]) -> int:\n    """Largest minus smallest.\n\n    >>> spread([3, 1])\n    2\n    """\n`;
  const asserts = "def check(f):\n    assert f([3, 1, 8]) == 7\n    assert f([5]) == 0\n";
  const good = "def spread(xs):\n    return max(xs) - min(xs)";
  const bad = "def spread(xs):\n    return max(xs)";
  const calls = "low(xs), high(xs)";
  const split = `def spread(xs):\n    a, b = ${calls}\n    return b - a`;
  const [low, high] = ["def low(xs):\n    return min(xs)", "def high(xs):\n    return max(xs)"];
  const fenced = 'def spread(xs):\n    """\n    ```\n    spread([1])\n    ```\n    """\n    return max(xs) - min(xs)';
  const session = ">>> spread([3, 1])\n2";
  check(
    { prompt, test: asserts, entryPoint: "spread" },
    [
      ...[
        "py",
        "Python",
        "python3",
        "python3.11",
        "PYTHON",
        " python",
        "python {1,2}",
        "python:main.py",
        "{.python}",
        "{python}",
      ].map((info): Row => [`tag ${info}`, block(good, info)]),
      ...["", "main.py", 'python title="a.py"', "solution", "text", "ipython3", "py3", "{.python .numberLines}"].map(
        (info): Row => [
          `tag ${info || "none"} before a shell block`,
          text(block(good, info), block("$ python main.py", "bash")),
        ],
      ),
      ["tildes", block(good, "python", "~~~")],
      ["tildes around backticks", block(fenced.replaceAll("    ```", "```"), "py", "~~~~")],
      ["four backticks", block(good, "python", "````")],
      ["four backticks around three", block(text("Text.", block(good)), "markdown", "````")],
      ["four backticks without a tag around three", block(text("Text.", block(good)), "", "````")],
      ["a fence inside a docstring", block(fenced)],
      ["a bare reply with fences in a docstring", fenced.replaceAll("    ```", "```")],
      ["CRLF", text("Here:", block(good), "Output:", block("7", "")).replaceAll("\n", "\r\n")],
      ["CR", block(good).replaceAll("\n", "\r")],
      [
        "a numbered list",
        `1. Write:\n\n${indented(block(good), "   ")}\n2. Run:\n\n${indented(block("python a.py", "sh"), "   ")}`,
      ],
      ["a list in a list", `- A\n  - B\n${indented(block(good), "    ")}\n`],
      ["a list with tabs", `-\t${block(good.replaceAll("    ", "\t")).replaceAll("\n", "\n\t")}`],
      ["a block quote", indented(text("So:", block(good)), "> ")],
      ["an indented fence", indented(block(good), "  ")],
      ["a fence at eight columns", text("Code:", indented(block(good), "        "))],
      ["an indented block", text("Code:", indented(good, "    "), "Done.")],
      ["code indented in its fence", block(indented(good, "    "))],
      ["no closing fence", `Code:\n\n\`\`\`python\n${good}`],
      ["a closing fence behind the last line", `\`\`\`python\n${good}\`\`\``],
      ["an opening fence behind a sentence", `The code is \`\`\`python\n${good}\n\`\`\``],
      [
        "backticks in a sentence",
        text("Use ``` or ```` for fences, ```like``` this.", block(good), "Close it with ```."),
      ],
      ["bare code", `\n${good}\n`],
      ["bare code that begins with a space", ` ${good.replaceAll("\n", "\n ")}`],
      ["bare code before an output block", text(good, block("7", ""))],
      ["bare code before a closing fence", `${good}\n\`\`\`\nThis function is fast.`],
      ["a body", "    return max(xs) - min(xs)\n"],
      ["a body of two lines without its first indentation", "best = max(xs)\n    return best - min(xs)\n"],
      ["a body at the margin", "best = max(xs)\nif best:\n    pass\nreturn best - min(xs)"],
      ["a body in a fence", text(block("    best = max(xs)\n    return best - min(xs)"), block("7", ""))],
      ["a body with a function inside", "    def best():\n        return max(xs)\n    return best() - min(xs)"],
      ["a body before a closing fence", "    return max(xs) - min(xs)\n```\nThe largest minus the smallest."],
      [
        "usage after",
        text(block(good), "Use it:", block("print(spread([1]))"), block("spread([1]); x = spread([2])", "")),
      ],
      [
        "output and JSON after",
        text(block(good), block("7", "text"), block('{"spread": 7}', "json"), block("[7]", "")),
      ],
      ["a session after", text(block(good), block(session), block(session, ""), block(session, "pycon"))],
      ["a session that defines", block(`>>> ${good.replace("\n", "\n... ")}\n>>> spread([2])\n0`, "pycon")],
      [
        "requirements and installation",
        text(block("pip install numpy", "bash"), block(good), block("numpy==2.0", "requirements.txt")),
      ],
      ["C++ after", text(block(good), block("int spread(vector<int> xs) { return 0; }", "cpp"))],
      ["C++ without a tag after", text(block(good), block("int spread(vector<int> xs) { return 0; }", ""))],
      ["Ruby after", text(block(good), block("def spread(xs)\n  xs.max\nend", "ruby"))],
      ["JavaScript with the same name after", text(block(good), block("spread = 1", "js"))],
      ["old code before", text("The old code was:", block(bad), "Fixed:", block(good))],
      ["two candidates", text("First:", block(bad), "Better:", block(good, ""))],
      [
        "pytest after",
        text(block(good), block(`import pytest\n${bad}\ndef test_spread():\n    assert spread([1]) == 0`)),
      ],
      [
        "unittest after",
        text(block(good), block(`import unittest\n${bad}\nclass TestSpread(unittest.TestCase):\n    pass`)),
      ],
      ["asserts after", text(block(good), block("assert spread([4, 1]) == 3\nprint('ok')"))],
      [
        "a signature after",
        text(block(good), "It has this signature:", block("def spread(xs: List[int]) -> int: ...")),
      ],
      ["a stub before", text(block("def spread(xs):\n    raise NotImplementedError"), block(good))],
      ["tests in its only block", block(`${good}\n\nassert spread([1]) == 0\nprint(spread([1, 5]))`)],
      [
        "a name in a string after",
        text(block(good), block('doc = """\ndef spread(xs):\n    return 1\n"""\nprint(doc)')),
      ],
      ["a name in a comment after", text(block(good), block("# def spread(xs): return 1\nprint(3)"))],
      ["helpers in earlier blocks", text(block(low), block(high), block(split))],
      ["a helper in a later block", text(block(split), "where:", block(`${low}\n\n${high}`))],
      ["the last of two helpers", text(block("def low(xs):\n    return 0"), block(low), block(high), block(split))],
      [
        "imports, constants and classes in earlier blocks",
        text(
          block("import functools as ft\nZERO = 0\nfrom operator import *"),
          block("class Range:\n    def __init__(self, xs):\n        self.low, self.high = min(xs), max(xs)"),
          block(
            "def spread(xs):\n    r = Range(xs)\n    return ft.reduce(lambda a, b: a + b, [sub(r.high, r.low)], ZERO)",
          ),
        ),
      ],
      [
        "usage between helpers and solution",
        text(block(`${low}\n\n${high}\nprint(low([1]))\nxs = int("seven")\nsum = 3`), block(split)),
      ],
      [
        "a table that an earlier block fills",
        text(
          block("pick = {}\npick[0] = min\npick[1] = max"),
          block("def spread(xs):\n    return pick[1](xs) - pick[0](xs)"),
        ),
      ],
      [
        "a helper that a test imports",
        text(block(low), block("from main import low\nassert low([1]) == 1"), block(high), block(split)),
      ],
      [
        "a test that imports the function",
        text(block(good), block("from main import spread\nassert spread([1]) == 0")),
      ],
      ["a module's docstring with fences", block(`"""\nUse:\n\`\`\`\nspread([1])\n\`\`\`\n"""\n${good}`)],
      ["a builtin that an earlier block assigns to", text(block("max = 3\nprint(max)"), block(good))],
      ["a lambda", block("spread = lambda xs: max(xs) - min(xs)")],
      [
        "an annotated name",
        block("from typing import Callable\nspread: Callable[[list], int] = lambda xs: max(xs) - min(xs)"),
      ],
      [
        "a partial function",
        block(
          "import functools\ndef gap(k, xs):\n    return k * (max(xs) - min(xs))\nspread = functools.partial(gap, 1)",
        ),
      ],
      ["a decorated function", block(`import functools\n\n@functools.wraps(max)\n${good}`)],
      [
        "a function of a class",
        block(`class Tool:\n    @staticmethod\n    ${good.replaceAll("\n", "\n    ")}\n\nspread = Tool.spread`),
      ],
      ["a method of Solution", block("class Solution:\n    def spread(self, xs):\n        return max(xs) - min(xs)")],
      ["an attribute of Solution", block("class Solution:\n    spread = staticmethod(lambda xs: max(xs) - min(xs))")],
      [
        "a name from an unpacking",
        block(`def both():\n    ${good.replaceAll("\n", "\n    ")}\n    return spread, None\nspread, _ = both()`),
      ],
      [
        "an imported name",
        block(
          "import operator\nfrom builtins import max as top, min as low\nspread = lambda xs: operator.sub(top(xs), low(xs))",
        ),
      ],
      [
        "a function under a condition",
        block(`import sys\nif sys.version_info > (3,):\n    ${good.replaceAll("\n", "\n    ")}`),
      ],
      ["an import from the future", block(`from __future__ import annotations\nfrom typing import *\n${good}`)],
      ["a thought with a wrong draft", text("<think>", block(bad), "</think>", block(good))],
      ["a thought that opens in the prompt", `So:\n${block(bad)}\nNo.\n</think>\n${block(good)}`],
      ["a fence right after a thought", `<think>\nThe \`\`\`python fence.\n</think>\n${block(good)}`],
      ["a fence that a thought leaves open", `<think>\n\`\`\`python\n${bad}\n</think>\n\n${block(good)}`],
      ["a program with a tag of thoughts", block(`${good}\nmark = "</think>"`)],
      ["a fence after HTML", `<details>\n<summary>Code</summary>\n${block(good)}\n</details>`],
    ],
    [
      ["a revised wrong function", text(block(good), "Better:", block(bad))],
      [
        "a revised function that is not Python",
        text(block(good), "Better:", block("def spread(xs)\n    return max(xs) - min(xs)")),
      ],
      ["a revised function without a tag", text(block(good), "Better:", block(bad, ""))],
      ["a right draft in a thought", text("<think>", block(good), "</think>", block(bad))],
      ["a thought alone", text("<think>", block(good), "</think>", "The code is above.")],
      ["the function in a docstring", block(`x = """\n${good}\n"""`)],
      ["the function in a comment", block(indented(good, "# "))],
      ["another name", block(good.replace("spread", "Spread"))],
      ["a local name", block(`def other():\n    ${good.replaceAll("\n", "\n    ")}`)],
      ["another language", block("int spread(vector<int> xs) { return max(xs) - min(xs); }", "cpp")],
      ["output alone", block("7", "")],
      ["an empty block", block("")],
      ["an empty reply", ""],
      ["a sentence", "The function returns max(xs) - min(xs)."],
      [
        "a helper that is revised to a wrong one",
        text(block(low), block("def low(xs):\n    return 0"), block(high), block(split)),
      ],
      ["a stub", block("def spread(xs): ...")],
      ["a method of another class", block("class Tool:\n    def spread(self, xs):\n        return max(xs) - min(xs)")],
    ],
  );
});

describe("grades a program", () => {
  const good = "n = int(input())\nprint(2 * n)";
  const bad = "n = int(input())\nprint(n)";
  const solve = "def solve(n):\n    return 2 * n";
  check(
    {
      cases: [
        { input: "3\n", output: "6\n" },
        { input: "50\n", output: "100\n" },
      ],
      entryPoint: null,
    },
    [
      ["a block", text("So:", block(good))],
      ["bare code", good],
      [
        "input and output after",
        text(block(good), "Input:", block("3", ""), "Output:", block("6", ""), block("YES", "text")),
      ],
      ["usage after", text(block(`${solve}\nprint(solve(int(input())))`), "For example:", block("print(solve(5))"))],
      [
        "a session and a shell after",
        text(block(good), block(">>> int(input())\n3"), block("$ echo 3 | python a.py\n6", "console")),
      ],
      ["a wrong program before", text(block(bad), "Fixed:", block(good))],
      ["a function before", text(block(solve), block("print(solve(int(input())))"))],
      [
        "a call of main after",
        text(block(`import sys\ndef main():\n    print(2 * int(sys.stdin.readline()))`), block("main()")),
      ],
      [
        "a guard",
        block(
          `import sys\ndef main():\n    print(2 * int(sys.stdin.read()))\n\nif __name__ == "__main__":\n    main()`,
        ),
      ],
      [
        "a test with other input after",
        text(
          block(`def main():\n    print(2 * int(input()))\n\nmain()`),
          block("import io, sys\nsys.stdin = io.StringIO('9')\nmain()"),
        ),
      ],
      ["unittest after", text(block(good), block("import unittest\nx = input()\nunittest.main()"))],
      [
        "C++ after",
        text(block(good), block("int main() { int n; std::cin >> n; }", "c++"), block("print(2 * gets.to_i)", "ruby")),
      ],
      ["os.read", block("import os\nprint(2 * int(open(0).read()))")],
      ["own input", text(block("import sys\ninput = sys.stdin.readline\nprint(input())"), block(good))],
      ["a tag of text", text("So:", block(good, "text"))],
      ["a thought before", `<think>\n${block(bad)}\n</think>\n${block(good, "py")}`],
      ["a numbered list", `1. Read\n   ${block(good).replaceAll("\n", "\n   ")}\n2. Done`],
      ["an import from the future", block(`from __future__ import annotations\n${good}`)],
      ["a fraction without digits", block("print(int(2. * int(input())))", "")],
    ],
    [
      ["a revised wrong program", text(block(good), "Better:", block(bad))],
      ["a right program in a thought", text("<think>", block(good), "</think>", block(bad))],
      ["output alone", block("6", "")],
      ["a function that nothing calls", block(solve)],
      ["another language", block("int main() { int n; std::cin >> n; std::cout << 2 * n; }", "cpp")],
    ],
  );
});

describe("grades a function of a contest", () => {
  const method = (body: string): string => `class Solution:\n    def twice(self, n: int) -> int:\n        ${body}`;
  check(
    { cases: [{ input: "3", output: "6" }], entryPoint: "twice" },
    [
      ["a method", block(method("return 2 * n"))],
      ["usage after", text(block(method("return 2 * n")), block("s = Solution()\nprint(s.twice(3))"))],
      ["a function beside another Solution", block("class Solution:\n    pass\n\ndef twice(n):\n    return 2 * n")],
      ["a wrong method before", text(block(method("return n")), block(method("return 2 * n"), ""))],
      ["imports in an earlier block", text(block("import operator as op"), block(method("return op.mul(2, n)")))],
      ["a name that an import of the harness has", block("def twice(n):\n    return 2 * n")],
    ],
    [
      ["a revised wrong method", text(block(method("return 2 * n")), block(method("return n")))],
      ["another class", block(method("return 2 * n").replace("Solution", "Answer"))],
    ],
  );
});
