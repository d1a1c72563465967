import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { recordingTerminal } from "./recording-terminal.ts";
import { main } from "../src/main.ts";

export const entry: string = fileURLToPath(new URL("../assets/laconic.mjs", import.meta.url));

export async function rowsIn<Row = Readonly<Record<string, number>>>(folder: string, file: string): Promise<Row[]> {
  const lines = (await readFile(join(folder, file), "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Row);
}

export interface CommandOutput {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function laconic(...words: readonly string[]): Promise<CommandOutput> {
  const terminal = recordingTerminal();
  const code = await main(words, { terminal });
  return { code, out: terminal.out.join("\n"), err: terminal.err.join("\n") };
}

/** Splits a command line at white space. An inserted text stays in its word; an inserted list is words of its own. */
export function cli(
  { raw }: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): string[] {
  const words: string[] = [];
  let word: string | null = null;
  const end = (): void => {
    if (word !== null) words.push(word);
    word = null;
  };
  raw.forEach((text, i) => {
    for (const [piece] of text.matchAll(/\s+|\S+/gu))
      if (piece.trim() === "") end();
      else word = (word ?? "") + piece;
    const value = values[i];
    if (typeof value === "object") {
      end();
      words.push(...value);
    } else if (value !== undefined) word = `${word ?? ""}${value}`;
  });
  end();
  return words;
}

/** Expects exit code 2, nothing on standard output, and an error with the reason on standard error. */
export async function expectRefused(words: readonly string[], reason: string | RegExp): Promise<void> {
  const { code, out, err } = await laconic(...words);
  const named = typeof reason === "string" ? expect.stringContaining(reason) : expect.stringMatching(reason);
  expect([code, out, err]).toEqual([2, "", named]);
  expect(err).toMatch(/^laconic: /mu);
}

export async function outputOf(...words: readonly string[]): Promise<string> {
  const { code, out, err } = await laconic(...words);
  expect(code, err).toBe(0);
  return out;
}
