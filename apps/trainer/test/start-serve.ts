import { spawn, type ChildProcess } from "node:child_process";
import { onTestFinished } from "vitest";
import { entry } from "./laconic.ts";

export async function post(
  url: string,
  body: unknown,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

/**
 * Starts `laconic serve` as a process on a free port; stopped when the test ends.
 * @param name - name that it must print when it serves or trains
 * @param words - further flags
 */
export async function startServe(
  served: string,
  name: string,
  words: readonly string[] = [],
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [entry, "serve", served, "--device", "wasm", "--port", "0", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let notes = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error(notes)));
    child.stderr.on("data", (chunk: Buffer) => {
      notes += chunk.toString();
      const [, match] =
        new RegExp(`(?:serving|training) (?:the team )?${name}.* on (http:\\S+)`, "u").exec(notes) ?? [];
      if (match !== undefined) resolve(match);
    });
  });
  return { child, url };
}
