import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox } from "../create-sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { codeGrader } from "./code-grader.ts";

let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await createSandbox()));
afterAll(() => sandbox.close());

interface Replies {
  readonly tests: Parameters<ReturnType<typeof codeGrader>>[1];
  readonly right: Readonly<Record<string, string>>;
  readonly wrong: Readonly<Record<string, string>>;
}
const file = JSON.parse(readFileSync(new URL("../../test/replies.json", import.meta.url), "utf8"));

describe.each(Object.entries<Replies>(file))("%s", (_, { tests, right, wrong }) => {
  const rows = [right, wrong].flatMap((replies, i) => Object.entries(replies).map((row) => [...row, i === 0] as const));
  test.for(rows)("%s", async ([, reply, correct]) => {
    const verdict = await codeGrader(sandbox)(reply, tests);
    expect(verdict, `${verdict.rule}\n${verdict.extracted}`).toMatchObject({ decided: true, correct });
  });
});
