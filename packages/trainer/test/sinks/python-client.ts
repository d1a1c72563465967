import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findPython } from "@laconic/core/platform";

/** Runs a Python program with extra environment variables. @throws if it fails */
export async function runPython(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(findPython(), [...words], {
    env: { ...process.env, ...environment },
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

export function hasPython(name: string): Promise<boolean> {
  return runPython(["-c", `import ${name}`]).then(
    () => true,
    () => false,
  );
}
