import { expect, test } from "vitest";
import { templateCase } from "./template-grammar.ts";
import { compareTemplates } from "./template-parity.ts";

const count = 20_000;

test(
  `${count} random templates render as transformers renders them (needs Python)`,
  { timeout: 600_000 },
  async ({ skip }) => {
    const parity = await compareTemplates(Array.from({ length: count }, (_, i) => templateCase(`nightly ${i}`)));
    if (typeof parity === "string") return skip(parity);
    expect(parity.differences).toEqual([]);
    expect(parity.equal).toBeGreaterThan(count / 3);
    expect(parity.rejected.length).toBeLessThan(count / 20);
  },
);
