import { expect, test } from "vitest";
import { templateCase } from "./template-grammar.ts";
import { compareTemplates } from "./template-parity.ts";

const count = 2000;

test.for(Array.from({ length: 10 }, (_, part) => part))(
  `part %i of 10: ${count} random templates render like transformers (needs Python)`,
  async (part, { skip }) => {
    const parity = await compareTemplates(
      Array.from({ length: count }, (_, i) => templateCase(`nightly ${part} ${i}`)),
    );
    if (typeof parity === "string") return skip(parity);
    expect(parity.differences).toEqual([]);
    expect(parity.equal).toBeGreaterThan(count / 3);
    expect(parity.rejected.length).toBeLessThan(count / 20);
  },
);
