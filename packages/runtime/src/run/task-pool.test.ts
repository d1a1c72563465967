import type { ChatTokenizer } from "@laconic/core";
import { describe, expect, test, vi } from "vitest";
import { openRunTask } from "./run-task.ts";

// The model's tokenizer is not what is tested here.
vi.mock("@laconic/hub/tokenizers", () => ({ loadTokenizer: async () => ({}) as ChatTokenizer }));

describe.skipIf(process.env["LACONIC_DATA"] === undefined)("training problems (LACONIC_DATA)", () => {
  test.each([
    [{ name: "benchmark", benchmark: "gsm8k", team: "hint" }, 7000],
    [{ name: "writing", form: "tldr" }, 5],
    [{ name: "code", benchmark: "coophumaneval", turns: 1 }, 30],
  ] as const)("%j is a list: each item once, none for both validation and test", async (settings, least) => {
    const task = await openRunTask(settings, { testProblems: 5, modelFolder: "model" });
    const ids = task.pool?.map(({ id }) => id) ?? [];
    expect(ids.length).toBeGreaterThan(least);
    expect(new Set(ids).size).toBe(ids.length);
    expect(task.testProblems.filter(({ id }) => ids.includes(id))).toEqual([]);
    await task.close?.();
  });
});
