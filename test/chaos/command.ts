import { recordingTerminal } from "../../apps/trainer/test/recording-terminal.ts";
import { main } from "../../apps/trainer/src/main.ts";
import type { Ended } from "./laconic-process.ts";

export async function command(words: readonly string[]): Promise<Ended> {
  const terminal = recordingTerminal();
  const code = await main(words, { terminal });
  return { code, signal: null, out: terminal.out.join("\n"), err: terminal.err.join("\n") };
}
