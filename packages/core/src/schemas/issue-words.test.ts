import { expect, test } from "vitest";
import * as z from "zod";
import { issueWords } from "./issue-words.ts";

const settings = z.strictObject({ steps: z.int().min(1), rate: z.number().gt(0).lt(1).optional() });
const kind = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("grpo"), clip: z.number() }),
  z.strictObject({ name: z.literal("gspo") }),
]);

const cases: readonly [unknown, z.ZodType, string][] = [
  [0, z.int().min(1), "it must be a number from 1 on, not 0"],
  [1, z.number().lt(1), "it must be a number below 1, not 1"],
  [9, z.number().max(8), "it must be a number up to 8, not 9"],
  [0, z.number().gt(0), "it must be a number above 0, not 0"],
  [1.5, z.int(), "it must be a whole number, not 1.5"],
  ["7", z.number(), 'it must be a number, not "7"'],
  [7, z.string(), "it must be a text, not 7"],
  [undefined, z.boolean(), "it is missing; it must be true or false"],
  ["foo", settings, 'it must be a group of settings (steps, rate), not "foo"'],
  [{ stepz: 1, steps: 1 }, settings, "unknown setting stepz; did you mean steps?"],
  [{ other: 1, steps: 1 }, settings, "unknown setting other; use one of: steps, rate"],
  ["gsop", z.enum(["gspo", "grpo", "ppo"]), 'it must be one of gspo, grpo, ppo, not "gsop"; did you mean gspo?'],
  [2, z.literal(1), "it must be 1, not 2"],
  ["", z.string().min(1), "it must have at least 1 character"],
  [[1, 2], z.array(z.number()).max(1), "it must have at most 1 entry"],
  [[], z.array(z.number()).length(2), "it must have exactly 2 entries"],
  [{}, z.array(z.number()), "it must be a list, not an object"],
  [5, z.number().multipleOf(2), "it must be a multiple of 2, not 5"],
  ["x", z.url(), 'it must be a text of the form url, not "x"'],
  ["x", z.string().regex(/^a$/u), 'it must be a text that matches /^a$/u, not "x"'],
  ["x", z.string().startsWith("a"), 'it must be a text that begins with "a", not "x"'],
  ["x", z.union([z.number(), z.boolean()]), 'it must be a number, not "x"; or it must be true or false, not "x"'],
  [{ steps: 0 }, z.union([z.number(), settings]), "it must be a number from 1 on, not 0"],
  [{ name: "ppo" }, kind, "its name must be one of grpo, gspo; did you mean grpo?"],
  ["foo", kind, 'it must be a group of settings (name, clip), not "foo"'],
  [{ A: 1 }, z.record(z.string().regex(/^a$/u), z.number()), 'it must be a text that matches /^a$/u, not "A"'],
  [new Map([["a", "x"]]), z.map(z.string(), z.number()), 'it must be a number, not "x"'],
  [1, z.number().refine(() => false, "our own sentence"), "our own sentence"],
  [1, z.string({ error: "a schema's own" }), "a schema's own"],
  ["x".repeat(100), z.number(), `it must be a number, not "${"x".repeat(40)}…"`],
  [Number.NaN, z.number(), "it must be a number, not NaN"],
];

test.each(cases)("of %j", (value, schema, words) => {
  const { error } = schema.safeParse(value, { error: issueWords });
  expect(error?.issues[0]?.message).toBe(words);
});

test("none of zod's sentences is left, whatever is wrong", () => {
  for (const [, schema] of cases)
    for (const value of [undefined, null, 0, -1, 1e9, "", "x", [], ["x"], {}, { steps: "x", a: 1 }, true, new Map()])
      for (const { message } of schema.safeParse(value, { error: issueWords }).error?.issues ?? [])
        expect(message).not.toMatch(/Invalid|expected|Unrecognized|Too (?:small|big)/u);
});
