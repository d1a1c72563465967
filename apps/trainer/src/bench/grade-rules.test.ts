import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { valuesOf } from "../cli/command.ts";
import { spendingFlags } from "../run/spending.ts";
import { configOf } from "./bench-arguments.ts";
import { playFlags, questionFlags } from "./bench-flags.ts";

async function rulesOf(text: string | undefined): Promise<unknown> {
  const args = valuesOf(
    { ...questionFlags, ...playFlags, ...spendingFlags },
    {
      benchmarks: "gsm8k,math500,minerva",
      methods: "cot",
      model: "m",
      "base-url": "http://127.0.0.1:1/v1",
      price: "0,0",
      "grade-rule": text,
    },
  );
  const { gradeRule, gradeRules } = await configOf(args, await temporaryFolder(), null);
  return [gradeRule, gradeRules];
}

test("a grading rule applies to all benchmarks or to named ones", async () => {
  expect(await rulesOf(undefined)).toEqual(["own", {}]);
  expect(await rulesOf("published")).toEqual(["published", {}]);
  expect(await rulesOf("math500=published, gsm8k=own")).toEqual(["own", { math500: "published", gsm8k: "own" }]);
  expect(await rulesOf("lenient,minerva=published")).toEqual(["lenient", { minerva: "published" }]);
});

test("rejects unknown rules, unknown benchmarks and duplicates by name", async () => {
  await expect(rulesOf("strict")).rejects.toThrow(/gradeRule/u);
  await expect(rulesOf("gsm8k=strict")).rejects.toThrow(/gsm8k/u);
  await expect(rulesOf("mmlu=own")).rejects.toThrow("grade-rule: mmlu is not in this bench");
  await expect(rulesOf("own,published")).rejects.toThrow("names several rules for all benchmarks: own, published");
  await expect(rulesOf("gsm8k=own,gsm8k=published")).rejects.toThrow("gsm8k has two rules");
});
