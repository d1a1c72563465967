import { expect, test } from "vitest";
import { reportError } from "./errors.ts";
import { recordingTerminal } from "./recording-terminal.ts";

/** What V8 throws where it cannot have memory. */
function refused(): unknown {
  try {
    return new ArrayBuffer(2 ** 52);
  } catch (error) {
    return error;
  }
}

test.for([
  ["an array", refused()],
  ["WebAssembly", new RangeError("WebAssembly.Memory(): could not allocate memory")],
  ["an instance of it", new RangeError("WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory")],
] as const)("a shortage of memory for %s is the system's doing, not a defect of ours", ([, error]) => {
  const terminal = recordingTerminal();
  expect(reportError(error, terminal, true)).toBe(1);
  expect(JSON.parse(terminal.out.join("\n"))).toMatchObject({ error: { code: "ENOMEM" } });
  expect(terminal.err.join("\n")).toMatch(/^laconic: not enough memory: .+$/u);
});

test("a shortage of open files says which limit it is; other ranges are defects", () => {
  const terminal = recordingTerminal();
  const full = Object.assign(new Error("EMFILE: too many open files, open 'x'"), {
    code: "EMFILE",
    syscall: "open",
    path: "x",
  });
  expect(reportError(full, terminal, false)).toBe(1);
  expect(terminal.err).toEqual(['laconic: cannot open x: too many open files (EMFILE); "ulimit -n" raises the limit']);
  reportError(new RangeError("Invalid array length"), terminal, false);
  expect(terminal.err[1]).toBe("laconic: unexpected error");
});
