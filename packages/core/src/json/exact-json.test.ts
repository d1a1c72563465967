import fc from "fast-check";
import { expect, test } from "vitest";
import { exactJson, exactNumber, jsonEnd, JsonText, writeJson } from "./exact-json.ts";

/** Values in JSON as writers of other languages write their numbers. */
const { tree: written } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,20})?(?:[eE][-+]?\d{1,2})?$/u),
    fc.constantFrom("null", "true", '""', '"1.0"', '"\\"1.0,\\\\"', '"{[:"'),
    fc.array(tie("tree")).map((items) => `[${items.join(",")}]`),
    fc.dictionary(fc.stringMatching(/^[a-z"\\1.,{]{1,6}$/u), tie("tree")).map(
      (members) =>
        `{${Object.entries(members)
          .map(([key, item]) => `${JSON.stringify(key)}:${item}`)
          .join()}}`,
    ),
  ),
}));

test("reading and writing JSON keeps each digit, and values are those of JSON.parse", () => {
  fc.assert(
    fc.property(written, (text) => {
      const value = exactJson(text);
      expect(writeJson(value)).toBe(text);
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
      expect(exactJson(text, { number: Number })).toEqual(JSON.parse(text));
      expect(JSON.parse(writeJson(value, [" , ", " : "]))).toEqual(JSON.parse(text));
    }),
    { seed: 7, numRuns: 1000 },
  );
});

test.each(["9007199254740993", "1.0", "1e21", "0.10", "-0", "1E5", "0.1000000000000000055", "1e400"])(
  "%s keeps its text, inside white space too",
  (number) => {
    expect(exactJson(` {"a" :\t[ ${number} ]}\r\n`)).toEqual({ a: [new JsonText(number)] });
  },
);

test.each([
  ["9007199254740993", 9007199254740993n],
  ["-18446744073709551615", -18446744073709551615n],
  ["9007199254740992", 9007199254740992],
  ["1.0", 1],
  ["1e21", 1e21],
])("%s is exactly %s", (text, value) => {
  expect(exactNumber(text)).toBe(value);
});

test("chosen members keep their source text with its key order, and __proto__ is a key", () => {
  const text = '{"args": {"10": 1.0, "2": {"args": "]"}, "__proto__": 0}, "name": "f", "__proto__": 1.50}';
  const value = exactJson(text, { keep: (record) => ("name" in record ? ["args", "absent"] : []) });
  expect(Object.keys(value as object)).toEqual(["args", "name", "__proto__"]);
  expect(writeJson(value)).toBe('{"args":{"10":1.0,"2":{"args":"]"},"__proto__":0},"name":"f","__proto__":1.50}');
});

test.each([
  ['{"a": "}"} rest', 0, 10],
  ["x [[1], {}] rest", 2, 11],
  ['{"a": 1', 0, -1],
  ['["a', 0, -1],
  ["[".repeat(101) + "]".repeat(101), 0, -1],
])("%j: the value from %i ends at %i", (text, start, end) => {
  expect(jsonEnd(text, start)).toBe(end);
});

test.each(["", "{", "[1,]", "01", "1.", "[1 2]", "[".repeat(101) + "]".repeat(101)])("%j is refused", (text) => {
  expect(() => exactJson(text)).toThrow(SyntaxError);
});
