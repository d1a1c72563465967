import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ErrorDetail, LaconicErrorCode } from "../packages/core/src/index.ts";
import { pythonOf } from "../packages/core/src/platform/index.ts";
import { afterEach, beforeEach, expect, vi } from "vitest";

// Empty variables count as unset, as in the command line.
for (const name of ["LACONIC_DATA", "LACONIC_DEVICES", "LACONIC_PYTHON", "LACONIC_TORCH"])
  if (process.env[name] === "") delete process.env[name];

// Keeps the list of created folders in the tests' folder, not in the user's home.
process.env["XDG_STATE_HOME"] = join(tmpdir(), "laconic-tests-state");

// Comparisons use the Python of `.venv` by default.
const venv = pythonOf(join(fileURLToPath(import.meta.url), "../../.venv"));
if (venv !== null) process.env["LACONIC_PYTHON"] ??= venv;

interface Tolerance {
  /** Relative to the expected value. Default 1e-6. */
  readonly relative?: number;
  /** Added to the relative part. Default 1e-9. */
  readonly absolute?: number;
}

declare module "vitest" {
  interface Matchers<T> {
    /** All numbers are within `absolute + relative * |expected|`; NaN equals NaN. */
    toBeAllclose(expected: ArrayLike<number>, tolerance?: Tolerance): T;
    /** An error, or a function that throws it: its code, its message or a part, and some or all of its detail. */
    toFailWith(code: LaconicErrorCode, ...rest: readonly (string | RegExp | Readonly<Record<string, unknown>>)[]): T;
  }
}

interface Failure {
  readonly code?: unknown;
  readonly message?: string;
  readonly detail?: ErrorDetail;
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return null;
}

function shown(part: string | RegExp | object): string {
  return part instanceof RegExp ? String(part) : JSON.stringify(part);
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
  toFailWith(received: unknown, code: string, ...rest: readonly (string | RegExp | object)[]) {
    const error = (typeof received === "function" ? thrownBy(received as () => unknown) : received) as Failure | null;
    const { code: found, message = "", detail = {} } = error ?? {};
    const faults = rest.filter((part) => {
      if (typeof part === "string") return !message.includes(part);
      if (part instanceof RegExp) return !part.test(message);
      return !Object.entries(part).every(([key, value]) => this.equals(detail[key], value));
    });
    return {
      pass: found === code && faults.length === 0,
      message: () =>
        `${String(found)}: ${message} ${JSON.stringify(detail)}, expected ${[code, ...faults.map(shown)].join(" ")}`,
    };
  },
});

// Libraries must not print: any console call fails the test.
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
