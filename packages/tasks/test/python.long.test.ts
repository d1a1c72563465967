import { createSandbox, type Sandbox } from "@laconic/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pythonAnswer } from "../src/tools/index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox();
});
afterAll(() => sandbox.close());

test.each([
  ["print(6*7)", /^42$/],
  ["print('so far')\n1/0", /^so far\n[^]*ZeroDivisionError/],
  ["while True: pass", /^ended by its limit: time$/],
])("%j", async (code, answer) => {
  expect(await pythonAnswer(sandbox, code, { seconds: 1 })).toMatch(answer);
});

test("an aborted run gives no answer", async () => {
  await expect(pythonAnswer(sandbox, "print(1)", { signal: AbortSignal.abort() })).rejects.toFailWith("engine_failed");
});
