import fc from "fast-check";
import { expect, test } from "vitest";
import { StopFilter } from "./streams.ts";

test("however a text is cut, what comes out ends before the first stop text", () => {
  const word = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 }).map((letters) => letters.join(""));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), fc.array(word, { maxLength: 3 }), (parts, stops) => {
      const filter = new StopFilter(stops);
      const out = parts.map((part) => filter.push(part)).join("") + filter.flush();
      const text = parts.join("");
      const ends = stops
        .filter((stop) => stop !== "")
        .map((stop) => text.indexOf(stop))
        .filter((index) => index >= 0);
      expect(out).toBe(text.slice(0, Math.min(text.length, ...ends)));
    }),
    { seed: 1, numRuns: 500 },
  );
});
