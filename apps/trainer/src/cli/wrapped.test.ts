import { expect, test } from "vitest";
import { processTerminal } from "./terminal.ts";
import { fitted } from "./wrapped.ts";

test("wraps a sentence between words and indents it after its label", () => {
  expect(fitted("three holders know one fact each", 18)).toBe("three holders know\none fact each");
  expect(fitted("test      90.0 % on ten test problems, measured once", 40)).toBe(
    "test      90.0 % on ten test problems,\n          measured once",
  );
  expect(fitted("- one point that is long", 22)).toBe("- one point that is\n  long");
  expect(fitted("\u001b[33mwarning\u001b[39m: short", 14)).toBe("\u001b[33mwarning\u001b[39m: short");
});

test("JSON, rows of tables and long words stay whole", () => {
  const json = `{"a": "${"b ".repeat(60)}"}`;
  const row = "A  a cell of a table  another cell  and one more  93.5 %";
  const path = `/folder/${"x".repeat(60)}`;
  for (const text of [json, row, path]) expect(fitted(text, 40)).toBe(text);
});

test("wraps lines only on a terminal; a pipe gets whole lines", () => {
  const line = "word ".repeat(40).trim();
  for (const isTTY of [true, false]) {
    const written: string[] = [];
    const stream = { isTTY, columns: 80, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
    const terminal = processTerminal(stream, stream);
    terminal.result(line);
    terminal.note(line);
    const longest = Math.max(
      ...written
        .join("")
        .split("\n")
        .map((text) => text.length),
    );
    expect(longest <= 80).toBe(isTTY);
  }
});
