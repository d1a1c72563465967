import { expect, test } from "vitest";
import { reportError } from "./errors.ts";
import { recordingTerminal } from "../../test/recording-terminal.ts";

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
] as const)("reports a lack of memory for %s as a system failure, not a bug", ([, error]) => {
  const terminal = recordingTerminal();
  expect(reportError(error, terminal, true)).toBe(1);
  expect(JSON.parse(terminal.out.join("\n"))).toMatchObject({ error: { code: "ENOMEM" } });
  expect(terminal.err.join("\n")).toMatch(/^laconic: not enough memory: .+$/u);
});

test("reports the open-file limit by name and other range errors as bugs", () => {
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
