import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { boardOf, boardSeed, type Board } from "../bench/src/grader-board/board.ts";
import { rules } from "../bench/src/grader-board/rules.ts";
import {
  gradeCase,
  gradeMaths,
  readGradedCases,
  type GradedCase,
  type MathsGrader,
} from "../packages/benchmarks/src/index.ts";
import { readText, root } from "./workspace.ts";

const board = boardOf(boardSeed);
const python = process.env["LACONIC_PYTHON"] ?? join(root, ".venv/bin/python");
const hasSympy = existsSync(python) && spawnSync(python, ["-c", "import sympy"]).status === 0;

const onThisThread: MathsGrader = {
  grade: (reply, gold, options) => Promise.resolve(gradeMaths(reply, gold, options)),
  close: () => Promise.resolve(),
};

async function wrongVerdicts({ rows }: Board): Promise<{ accepted: string[]; rejected: string[] }> {
  const [accepted, rejected]: [string[], string[]] = [[], []];
  for (const row of rows) {
    const { correct } = await gradeCase(row, onThisThread);
    if (correct !== row.verdict) (correct === true ? accepted : rejected).push(row.id);
  }
  return { accepted, rejected };
}

test("the committed board is what its script writes, with the shape of labelled cases", () => {
  const written = board.rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const committed = readText("apps/trainer/assets/grader-board.jsonl");
  expect(committed === written, "npx tsx bench/src/grader-board.ts > apps/trainer/assets/grader-board.jsonl").toBe(
    true,
  );
  expect(committed.length).toBeLessThan(1e6);
  const read = [...readGradedCases("grader-board.jsonl", new TextEncoder().encode(committed))];
  expect(read.filter((item) => "reason" in item)).toEqual([]);
  expect(read.length).toBeGreaterThanOrEqual(3000);
  const labels = (read as GradedCase[]).map(({ verdict }) => verdict === true);
  expect(labels.filter(Boolean).length / labels.length).toBeCloseTo(0.5, 1);
});

test("the page of the board has every rule", () => {
  const page = readText("docs/grader-board.md");
  for (const [name, rule] of Object.entries(rules))
    expect(page).toContain(`| ${name} | ${rule.replaceAll("|", "\\|")} |`);
});

test("the grader is as labelled on at least 97 %, and accepts at most 0.3 % that is wrong", async () => {
  const { accepted, rejected } = await wrongVerdicts(board);
  expect(accepted).toEqual(["h-230", "h-849"]);
  expect(rejected).toEqual(["h-949"]);
});

test.for(["a", "b", "c"])("so it is on pairs of another seed: %s", async (seed) => {
  const drawn = boardOf(`other-${seed}`, 6);
  const rows = drawn.rows.filter(({ tags }) => !tags.includes("by hand"));
  const { accepted, rejected } = await wrongVerdicts({ ...drawn, rows });
  expect(rows.length).toBeGreaterThan(600);
  expect(accepted).toEqual([]);
  expect(rejected).toEqual([]);
});

test.skipIf(!hasSympy)(
  "SymPy says the same of every pair that is known in its notation (LACONIC_PYTHON)",
  { timeout: 300_000 },
  () => {
    const checks = boardOf(boardSeed, 6).checks;
    const { stdout, stderr } = spawnSync(python, [join(root, "bench/peers/sympy_equal.py")], {
      input: checks.map((check) => `${JSON.stringify(check)}\n`).join(""),
      encoding: "utf8",
    });
    const said = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: string; readonly equal: boolean });
    expect(said.length, stderr).toBe(checks.length);
    expect(checks.length).toBeGreaterThan(150);
    const different = checks.filter(({ equal }, i) => said[i]?.equal !== equal);
    expect(different).toEqual([]);
  },
);
