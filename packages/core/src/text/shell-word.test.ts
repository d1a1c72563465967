import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "./safe-text.ts";

test.each([
  ["runs/quickstart", "runs/quickstart"],
  ["/läufe/größte", "/läufe/größte"],
  ["runs/my run", '"runs/my run"'],
  ["D:\\a b", '"D:\\a b"'],
  ["it's", `"it's"`],
  ["$HOME/`x`", "'$HOME/`x`'"],
  ["", '""'],
])("%s is shown as %s", (text, shown) => {
  expect(shellWord(text)).toBe(shown);
});

test
  .runIf(process.platform !== "win32")
  .each(["a b", "a  b;c", "a'b", `"a" $b 'c' \`d\` !e`, "~/x", "*", "a\\b", "ä ö"])(
  "a shell reads %j back as one word",
  (text) => {
    expect(execFileSync("/bin/sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" })).toBe(text);
  },
);
