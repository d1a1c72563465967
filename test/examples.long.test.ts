import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { root } from "./workspace.ts";

const steps = 2;
const shippedModel = "packages/runtime/assets/relay-one-fact";

async function linesOf(file: string, ...words: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", `examples/${file}`, ...words], {
    cwd: root,
  });
  return stdout.trimEnd().split("\n");
}

let loop: string[] = [];
let basic: string[] = [];

beforeAll(async () => {
  loop = await linesOf("agent-gspo-loop.ts", String(steps), shippedModel, "7");
  basic = await linesOf("agent-gspo-basic.ts", String(steps), shippedModel, "7");
});

describe("examples", () => {
  test("start from a model in the repository", () => {
    expect(existsSync(join(root, shippedModel, "model.safetensors"))).toBe(true);
  });

  test("the whole loop prints a line per step", () => {
    expect(loop).toHaveLength(steps);
    for (const [i, line] of loop.entries())
      expect(line).toMatch(
        new RegExp(`^step ${i + 1}  accuracy \\d\\.\\d{3}  tokens \\d+\\.\\d{2}  price \\d\\.\\d{5}$`),
      );
  });

  test("the trainer takes the same steps to the last printed digit", () => {
    expect(basic.slice(0, steps)).toEqual(loop);
  });

  test("the trainer prints results on test problems", () => {
    expect(basic).toHaveLength(steps + 2);
    expect(basic[steps]).toMatch(/^test accuracy \d+\.\d % -> \d+\.\d %$/);
    expect(basic[steps + 1]).toMatch(/^test tokens \d+\.\d -> \d+\.\d per episode$/);
  });

  test("another seed gives another run", async () => {
    expect((await linesOf("agent-gspo-loop.ts", "1", shippedModel, "8"))[0]).not.toBe(loop[0]);
  });
});
