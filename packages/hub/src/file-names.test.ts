import { isAbsolute, join, relative, win32 } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkFileName, fileMatcher, isPattern } from "./file-names.ts";

test("no name that is let through leaves its folder, on any system", () => {
  const part = fc.oneof(fc.constantFrom("..", ".", "", "C:", "a", "...", "..a", "~", "\\", "a\\b", "\0"), fc.string());
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const name = parts.join("/");
      try {
        checkFileName(name);
      } catch {
        return;
      }
      const path = relative("/base", join("/base", name));
      const windows = win32.relative(String.raw`C:\base`, win32.join(String.raw`C:\base`, name));
      for (const match of [path, windows]) {
        expect(match === "" || match === ".." || /^\.\.[\\/]/.test(match)).toBe(false);
        expect(isAbsolute(match) || win32.isAbsolute(match)).toBe(false);
      }
    }),
    { seed: 1, numRuns: 3000 },
  );
});

test.each(["a", "a/b.c", "..a/b..", "…/é", ".gitattributes"])("%j is a name", (name) =>
  expect(checkFileName(name)).toBe(name),
);

test.each<[pattern: string, yes: readonly string[], no: readonly string[]]>([
  ["config.json", ["config.json"], ["configXjson", "a/config.json", "config.json2"]],
  ["*.json", ["a.json", ".json"], ["a/b.json", "a.jsonl"]],
  ["**.json", ["a.json", "a/b.json"], ["a.txt"]],
  ["**/a", ["a", "x/a", "x/y/a"], ["xa", "x/ya"]],
  ["data/**", ["data/a", "data/a/b"], ["data", "xdata/a"]],
  ["shard-?.bin", ["shard-1.bin"], ["shard-10.bin", "shard-/.bin"]],
  ["a+(b)[c]{d}^$|.x", ["a+(b)[c]{d}^$|.x"], ["aa+(b)[c]{d}^$|.x"]],
])("%s", (pattern, yes, no) => {
  const matches = fileMatcher([pattern]);
  expect(yes.filter(matches)).toEqual(yes);
  expect(no.filter(matches)).toEqual([]);
  expect(isPattern(pattern)).toBe(/[*?]/.test(pattern));
});
