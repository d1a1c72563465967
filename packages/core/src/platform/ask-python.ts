import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { boundedJson } from "../json/bounded-json.ts";
import { findPython } from "./processes.ts";

/** Answer of a script, or why it is missing. */
export type PythonAnswer<Answer> = { readonly answer: Answer } | { readonly missing: string };

/**
 * Runs `script QUESTION ANSWER`, two JSON files; exit code 3 means a missing package.
 * @throws its standard error
 */
export async function askPython<Answer>(script: string, question: unknown): Promise<PythonAnswer<Answer>> {
  const python = findPython();
  const folder = await mkdtemp(join(tmpdir(), "laconic-python-"));
  try {
    const [asked, answered] = [join(folder, "question.json"), join(folder, "answer.json")];
    await writeFile(asked, JSON.stringify(question));
    const failed = await promisify(execFile)(python, [script, asked, answered]).then(
      () => null,
      (error: Error & { readonly code?: string | number; readonly stderr?: string }) => error,
    );
    if (failed?.code === "ENOENT") return { missing: `no Python at ${python}; set LACONIC_PYTHON` };
    if (failed?.code === 3) return { missing: (failed.stderr ?? "").trim() };
    if (failed) throw new Error(`${basename(script)} failed: ${failed.stderr ?? failed.message}`);
    return { answer: boundedJson(await readFile(answered, "utf8")) as Answer };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
