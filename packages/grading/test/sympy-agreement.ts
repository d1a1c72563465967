import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findPython } from "@laconic/core/platform";
import { gradeMaths } from "../src/maths/grade-maths.ts";
import { typedPairs } from "./typed-pairs.ts";

const python = findPython();

export function hasSympy(): boolean {
  return spawnSync(python, ["-c", "import sympy"]).status === 0;
}

export interface Agreement {
  readonly compared: number;
  readonly undecided: number;
  readonly different: readonly string[];
}

/** Compares the grader with SymPy. @throws Error with Python's output on failure */
export function sympyAgreement(seed: string, count: number): Agreement {
  const pairs = typedPairs(seed, count);
  const peer = spawnSync(python, [fileURLToPath(new URL("sympy-equality.py", import.meta.url))], {
    input: pairs.map((pair) => JSON.stringify(pair)).join("\n"),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (peer.status !== 0) throw new Error(peer.stderr);
  // Text results are SymPy parser errors.
  const equalities = peer.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as boolean | string | null);
  let [compared, undecided] = [0, 0];
  const different: string[] = [];
  for (const [i, [left, right]] of pairs.entries()) {
    const equal = equalities[i];
    if (typeof equal !== "boolean") continue;
    for (const reply of [`The answer is ${left}.`, `It is \\boxed{${left}}.`]) {
      const { correct, certainty, extracted } = gradeMaths(reply, right, { bareGold: true });
      compared++;
      if (certainty === "undecided") undecided++;
      else if (correct !== equal)
        different.push(`${reply} against ${right}: SymPy says ${equal}, extracted ${extracted}`);
    }
  }
  return { compared, undecided, different };
}
