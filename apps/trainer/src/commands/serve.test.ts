import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { recordingTerminal } from "../cli/recording-terminal.ts";
import { main } from "../main.ts";

const entry = fileURLToPath(new URL("../../assets/laconic.mjs", import.meta.url));

test.each([
  [["--host", "0.0.0.0"], /--host 0\.0\.0\.0 can be reached from elsewhere/],
  [["--api-key-env", "LACONIC_NO_SUCH_KEY"], /LACONIC_NO_SUCH_KEY, which is not set/],
  [["--port", "many"], /--port is many/],
  [["--max-concurrency", "0"], /--max-concurrency is 0/],
] as const)("serve refuses %j", async (flags, message) => {
  const terminal = recordingTerminal();
  expect(await main(["serve", "shipped", ...flags], { terminal })).toBe(2);
  expect(terminal.err.join("\n")).toMatch(message);
});

test("a folder without a tokenizer is refused by name", async () => {
  const terminal = recordingTerminal();
  expect(await main(["serve", import.meta.dirname], { terminal })).toBe(2);
  expect(terminal.err.join("\n")).toMatch(/holds no tokenizer\.json/);
});

test("serve answers until it is interrupted, then ends by itself", { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, [entry, "serve", "shipped", "--device", "wasm", "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    let notes = "";
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", () => reject(new Error(notes)));
      child.stderr.on("data", (chunk: Buffer) => {
        notes += chunk.toString();
        const found = /serving relay-one-fact on (http:\S+)/.exec(notes);
        if (found?.[1] !== undefined) resolve(found[1]);
      });
    });
    const body = JSON.stringify({ model: "relay-one-fact", prompt: [5, 6, 7], seed: 1, return_token_ids: true });
    const reply = async (): Promise<unknown> => {
      const answer = await fetch(`${url}/completions`, { method: "POST", body });
      const { choices, prompt_token_ids: prompt } = (await answer.json()) as {
        choices: unknown;
        prompt_token_ids: unknown;
      };
      expect(prompt).toEqual([5, 6, 7]);
      return choices;
    };
    expect(await reply()).toEqual(await reply());
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
});
