import { LaconicError, present } from "@laconic/core";
import { z } from "zod";
import { defineTool, type Tool } from "./tool.ts";

/** Part of a `@laconic/sandbox` sandbox. */
export interface PythonSandbox {
  run(job: { readonly code: string; readonly seconds?: number; readonly signal?: AbortSignal }): Promise<{
    readonly status: string;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/** Runs Python in a fresh interpreter; the caller closes the sandbox. */
export function pythonTool(sandbox: PythonSandbox, { seconds }: { readonly seconds?: number } = {}): Tool {
  return defineTool({
    name: "python",
    description: "Runs a Python program and answers what it prints.",
    parameters: z.object({ code: z.string() }),
    run: ({ code }, { signal }) => pythonAnswer(sandbox, code, { signal, ...present({ seconds }) }),
  });
}

/** Output, or how it ended, without machine details. */
export async function pythonAnswer(
  sandbox: PythonSandbox,
  code: string,
  options: { readonly seconds?: number; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const { status, stdout, stderr } = await sandbox.run({ code, ...options });
  switch (status) {
    case "ok":
      return stdout.trimEnd();
    case "exception":
    case "unsupported":
      return [stdout.trimEnd(), stderr.trimEnd()].filter(Boolean).join("\n");
    case "undecided":
    case "aborted":
      throw new LaconicError("engine_failed", `python: ${status}${stderr === "" ? "" : `: ${stderr}`}`);
    default:
      return [stdout.trimEnd(), `ended by its limit: ${status}`].filter(Boolean).join("\n");
  }
}
