import { recordingTerminal } from "../src/cli/recording-terminal.ts";
import { main } from "../src/main.ts";

/** Runs the command line in this process: exit code and output. */
export async function laconic(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const terminal = recordingTerminal();
  const code = await main(words, { terminal });
  return { code, out: terminal.out.join("\n"), err: terminal.err.join("\n") };
}
