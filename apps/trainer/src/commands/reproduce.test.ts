import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { laconic, type CommandOutput } from "../../test/laconic.ts";

async function reproduce(...words: readonly string[]): Promise<CommandOutput> {
  const folder = await temporaryFolder();
  return laconic("reproduce", ...words, "--folder", folder, "--run", join(folder, "run"));
}

test("rejects unknown papers, table cells and models by name", async () => {
  for (const [words, reason] of [
    [["maven"], "agent-gspo, agentpo, magrpo"],
    [["agent-gspo", "--table", "2", "--only", "cot/gsm8k"], "columns mmlu-153, gsm8k"],
    [["agentpo"], "Llama-3.1-8B"],
  ] as const) {
    const { code, err } = await reproduce(...words, "--model", "m");
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
  }
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
