import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { laconic } from "../../test/laconic.ts";
import { printResult, processTerminal } from "./terminal.ts";

const hostile = "a\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eb\rc";
const harmless = "a⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+202E⟩b⟨U+000D⟩c";

function openTerminal(): { terminal: ReturnType<typeof processTerminal>; written: () => string } {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });
  const written: Buffer[] = [];
  stream.on("data", (piece: Buffer) => written.push(piece));
  const tty = stream as unknown as NodeJS.WriteStream;
  return { terminal: processTerminal(tty, tty), written: () => Buffer.concat(written).toString() };
}

test("the terminal obeys no control characters except our own colours", () => {
  vi.stubEnv("NO_COLOR", undefined);
  vi.stubEnv("TERM", "xterm");
  vi.stubEnv("FORCE_COLOR", "1");
  const { terminal, written } = openTerminal();
  terminal.result(hostile);
  terminal.note(hostile);
  terminal.warn(hostile);
  terminal.retry(1, hostile);
  expect(
    written()
      .split("\n")
      .map((line) => line.replaceAll("\u001b[33m", "").replaceAll("\u001b[39m", "")),
  ).toEqual([harmless, harmless, `warning: ${harmless}`, `retry 1: ${harmless}`, ""]);
  terminal.status(hostile);
  terminal.note(`${terminal.paint("red", hostile)} ${terminal.paint("bold", "b")}`);
  expect(written()).toContain(`\u001b[31m${harmless}\u001b[39m \u001b[1mb\u001b[22m`);
  const ours = written().replaceAll(/\u001b\[(?:1|22|31|33|39)m|\r\u001b\[2K/gu, "");
  expect(ours).not.toMatch(/[\u001b\u009b\u0007\u202e\r]/u);
  vi.unstubAllEnvs();
});

test("JSON keeps every character, and the terminal obeys none", () => {
  const { terminal, written } = openTerminal();
  printResult(terminal, true, { said: hostile }, () => "");
  expect(written()).toMatch(/^[\u0020-\u007e]+\n$/u);
  expect(JSON.parse(written())).toEqual({ said: hostile });
});

test("a received folder writes only text to the terminal", async () => {
  const folder = await temporaryFolder();
  const run = join(folder, "\u001b[31mrun");
  await mkdir(run);
  for (const text of [`{"task":{"name":${JSON.stringify(hostile)}}}`, `{${JSON.stringify(hostile)}:1}`, hostile])
    for (const words of [
      ["view", "report"],
      ["eval"],
      ["view", "compare", run],
      ["verify"],
      ["serve", "--device", "wasm"],
      ["train", "--resume"],
    ]) {
      await writeFile(join(run, "config.json"), text);
      await writeFile(join(run, "warnings.jsonl"), `${JSON.stringify({ message: hostile })}\n`);
      const { code, out, err } = await laconic(...words, run);
      expect([code === 0 ? out : err, out + err]).toEqual([
        expect.stringMatching(/./u),
        expect.not.stringMatching(/[\u001b\u009b\u0007\u202e]/u),
      ]);
    }
});
