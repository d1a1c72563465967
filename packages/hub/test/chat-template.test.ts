import { expect, test } from "vitest";
import { templateCase } from "./template-grammar.ts";
import { compareTemplates } from "./template-parity.ts";

const count = 400;

test(`${count} random templates render like transformers (needs Python)`, async ({ skip }) => {
  const parity = await compareTemplates(Array.from({ length: count }, (_, i) => templateCase(`quick ${i}`)));
  if (typeof parity === "string") return skip(parity);
  expect(parity.differences).toEqual([]);
  expect(parity.equal).toBeGreaterThan(count / 3);
  expect(parity.rejected.length).toBeLessThan(count / 20);
});
