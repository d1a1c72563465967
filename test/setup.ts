import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonOf } from "../packages/core/src/platform/index.ts";
import { afterEach, beforeEach, expect, vi } from "vitest";

// An empty variable is no folder and no program, in tests as in the command line.
for (const name of ["LACONIC_DATA", "LACONIC_DEVICES", "LACONIC_PYTHON", "LACONIC_TORCH"])
  if (process.env[name] === "") delete process.env[name];

// Which folders were made here is remembered beside other files of tests, not in the home of whoever runs them.
process.env["XDG_STATE_HOME"] = join(tmpdir(), "laconic-tests-state");

// Comparisons take the Python of `.venv` where no other is named.
const venv = pythonOf(join(fileURLToPath(import.meta.url), "../../.venv"));
if (venv !== null) process.env["LACONIC_PYTHON"] ??= venv;

interface Tolerance {
  /** Relative to the expected value; 1e-6 unless given. */
  readonly relative?: number;
  /** Added to the relative part; 1e-9 unless given. */
  readonly absolute?: number;
}

declare module "vitest" {
  interface Matchers<T> {
    /** Every number is within `absolute + relative * |expected|` of the expected one; NaN equals NaN. */
    toBeAllclose(expected: ArrayLike<number>, tolerance?: Tolerance): T;
  }
}

expect.extend({
  toBeAllclose(
    received: ArrayLike<number>,
    expected: ArrayLike<number>,
    { relative = 1e-6, absolute = 1e-9 }: Tolerance = {},
  ) {
    const sameLength = received.length === expected.length;
    let worst = { excess: Number.NEGATIVE_INFINITY, index: 0, message: "the arrays are empty" };
    for (let i = 0; sameLength && i < received.length; i++) {
      const [a, b] = [received[i] ?? Number.NaN, expected[i] ?? Number.NaN];
      const difference = Object.is(a, b) || a === b ? 0 : Math.abs(a - b);
      const allowed = Number.isFinite(b) ? absolute + relative * Math.abs(b) : 0;
      const excess = Number.isNaN(difference) ? Infinity : difference - allowed;
      if (excess > worst.excess)
        worst = {
          excess,
          index: i,
          message: `[${i}] is ${a}, expected ${b}: differs by ${difference}, allowed ${allowed}`,
        };
    }
    return {
      pass: sameLength && worst.excess <= 0,
      message: () =>
        sameLength ? `furthest off: ${worst.message}` : `${received.length} numbers, expected ${expected.length}`,
    };
  },
});

// A library that prints cannot be silenced by its user: any console call in a test is a failure.
const methods = ["log", "info", "warn", "error", "debug"] as const;
beforeEach(() => {
  for (const method of methods)
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => {
      throw new Error(`console.${method} was called in a test: ${values.map(String).join(" ")}`);
    });
});
afterEach(() => {
  vi.restoreAllMocks();
});
