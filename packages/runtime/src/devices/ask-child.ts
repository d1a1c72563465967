import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a process of its own said, or how it ended without a word. */
export type ChildAnswer<T> = { readonly answer: T } | { readonly failed: string };

/** As much of what a library says last as fits into a line. */
const longestReason = 200;

/**
 * Runs a module in a process of its own and takes its first message: native code that crashes, aborts or hangs
 * there never ends the caller.
 *
 * @param entry - the module
 */
export function askChild<T>(entry: URL, args: readonly string[], timeoutMs: number): Promise<ChildAnswer<T>> {
  return new Promise((resolve) => {
    // What libraries print is not this command's output.
    const child = fork(fileURLToPath(entry), args, { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [] });
    let printed = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-4096);
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    const end = (outcome: ChildAnswer<T>): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const fails = (how: string): void => {
      const reason = lastLine(printed);
      end({ failed: reason === "" ? how : `${how} (${reason})` });
    };
    child.once("message", (answer) => end({ answer: answer as T }));
    child.once("error", (error) => fails(error.message));
    child.once("close", (code, signal) => {
      if (late) fails(`did not answer within ${timeoutMs / 1000} s`);
      else fails(signal === null ? `its process ended with exit code ${code}` : `crashed with ${signal}`);
    });
  });
}

/** Without characters that steer a terminal. */
function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "")
    .trim()
    .slice(0, longestReason);
}
