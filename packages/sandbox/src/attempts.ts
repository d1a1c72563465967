import { readFileSync } from "node:fs";
import { allowedCalls } from "./bubblewrap/system-call-filter.ts";
import type { SandboxResult } from "./sandbox.ts";

/** A program of a table in Python, `#= name | field | field`, and the lines behind that. */
export interface Section {
  readonly name: string;
  readonly fields: readonly string[];
  readonly program: string;
}

export function sectionsOf(file: URL): Section[] {
  const sections = readFileSync(file, "utf8").split(/^#= /mu).slice(1);
  return sections.map((section) => {
    const [head = "", program = ""] = section.split(/\n([^]*)/u);
    const [name = "", ...fields] = head.split("|").map((field) => field.trim());
    return { name, fields, program };
  });
}

/** Programs that try to get at `secret` in a folder and at a port, or reach for the kernel. */
export function attemptsAt(folder: string, port: number): Section[] {
  const names = { FOLDER: folder, SECRET: `${folder}/secret`, PORT: port, CALLS: untriedCalls() };
  const head = [
    "import os",
    ...Object.entries(names).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    'def reached(*what): print("reached", *what, flush=True)',
  ].join("\n");
  const sections = sectionsOf(new URL("../assets/self-test.py", import.meta.url));
  return sections.map(({ program, ...section }) => ({ ...section, program: `${head}\n${program}` }));
}

/** What an attempt says that it reached; also where it did not live to try all. */
export function reachedIn({ status, stdout }: Pick<SandboxResult, "status" | "stdout">): string[] {
  const reached = [...stdout.matchAll(/^reached (.+)$/gmu)].map(([, what]) => what as string);
  return ["ok", "exception", "unsupported"].includes(status) ? reached : [...reached, `ended with ${status}`];
}

/**
 * Calls that are allowed, and on x86-64 pause, fork and vfork, which a sweep would not come back from alone, and uretprobe and uprobe,
 * which no filter sees. On both processors fcntl, of which a part is allowed.
 */
function untriedCalls(): number[] {
  return [...(allowedCalls()?.values() ?? []), ...(process.arch === "x64" ? [34, 57, 58, 72, 335, 336] : [25])];
}
