import { expect, test } from "vitest";
import { randomFromSeed } from "../numeric/random.ts";
import { withoutKey } from "./without-key.ts";

const key = "sk-proj-0aZ9bY8cX7dW6eV5";

test.each([
  [`key ${key}.`, "key [redacted]."],
  [`${key}${key}`, "[redacted][redacted]"],
  [`Incorrect API key provided: sk-proj-********6eV5`, "Incorrect API key provided: [redacted]********[redacted]"],
  [`…${key.slice(-12)}, again ${key.slice(0, 5)}`, "…[redacted], again [redacted]"],
  [encodeURIComponent(`"${key}"`), "%22[redacted]%22"],
  ["nothing of it: eV5 sk-", "nothing of it: eV5 sk-"],
  ["", ""],
])("%j is shown as %j", (text, shown) => expect(withoutKey(text, key)).toBe(shown));

test("a text too short for a secret remains", () => expect(withoutKey("abc abc", "abc")).toBe("abc abc"));

test("no cut of any text with the key in it shows four of its characters in a row", () => {
  const random = randomFromSeed(1);
  const at = (n: number): number => Math.floor(random.uniform() * n);
  for (let round = 0; round < 500; round++) {
    const pieces = Array.from({ length: 6 }, () => {
      const start = at(key.length);
      return at(2) === 0 ? ".".repeat(at(4)) : key.slice(start, start + at(key.length));
    });
    const shown = withoutKey(pieces.join(""), key).replaceAll("[redacted]", "\n");
    for (let i = 0; i + 4 <= key.length; i++) expect(shown).not.toContain(key.slice(i, i + 4));
  }
});
