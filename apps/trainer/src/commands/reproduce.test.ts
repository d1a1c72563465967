import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { recordingTerminal } from "../cli/recording-terminal.ts";
import { main } from "../main.ts";

async function reproduce(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const folder = await temporaryFolder();
  const terminal = recordingTerminal();
  const code = await main(["reproduce", ...words, "--folder", folder, "--run", join(folder, "run")], { terminal });
  return { code, out: terminal.out.join("\n"), err: terminal.err.join("\n") };
}

test("rejects unknown papers, table cells and models by name", async () => {
  const paper = await reproduce("maven", "--model", "m");
  expect([paper.code, paper.err]).toEqual([2, expect.stringContaining("agent-gspo, agentpo, magrpo") as string]);
  const cell = await reproduce("agent-gspo", "--table", "2", "--only", "cot/gsm8k", "--model", "m");
  expect([cell.code, cell.err]).toEqual([2, expect.stringContaining("columns mmlu-153, gsm8k") as string]);
  const model = await reproduce("agentpo", "--model", "m");
  expect([model.code, model.err]).toEqual([2, expect.stringContaining("Llama-3.1-8B") as string]);
});

test("names the training command of trained rows", async () => {
  const { code, out } = await reproduce("magrpo");
  const command = "laconic train preset:magrpo task.prompts=published --run runs/writers";
  expect([code, out]).toEqual([0, expect.stringContaining(command) as string]);
  const json = JSON.parse((await reproduce("magrpo", "--json")).out) as { training: { command: string }[] };
  expect(json.training.length).toBeGreaterThan(5);
});

test("reports missing questions when offline", async () => {
  const { code, err } = await reproduce("agent-gspo", "--only", "cot/gsm8k", "--model", "m", "--offline", "--dry-run");
  expect([code, err]).toEqual([2, expect.stringContaining("GSM8K, split test") as string]);
});
