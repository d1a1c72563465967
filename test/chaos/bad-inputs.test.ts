import { afterAll, beforeAll, expect, test } from "vitest";
import { badInputs } from "./bad-inputs.ts";
import { complaintAbout, enterBadFolder } from "./run-bad-inputs.ts";

let leave = async (): Promise<void> => undefined;
beforeAll(async () => {
  leave = await enterBadFolder();
});
afterAll(() => leave());

const named = badInputs.map((input, i) => ({
  input,
  name: `${i + 1}: laconic ${input.words.map((word) => (word.length > 60 ? `${word.slice(0, 60)}…` : word)).join(" ")}`,
}));

test.each(named)("$name", async ({ input }) => {
  expect(await complaintAbout(input)).toBeNull();
});
