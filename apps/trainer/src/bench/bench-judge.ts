import { LaconicError } from "@laconic/core";
import type { BenchJob } from "@laconic/evaluation";
import type { OpenAiModelOptions } from "@laconic/openai";
import { judgeGrader, timerOf } from "@laconic/rewards";
import { environmentValue } from "@laconic/runtime/folders";
import { knownPrice, namedModel, pricePair } from "@laconic/runtime/spending";
import { checkPriced } from "../run/spending.ts";
import type { BenchConfig, BenchModel } from "./bench-settings.ts";

const rubric = "Does the answer say what the reference says, and nothing that contradicts it?";

/** `--judge NAME@URL`, and `--judge-price`. @throws LaconicError `config_invalid` naming the flag */
export async function judgeModel(text: string, price: string | undefined, baseUrl: string): Promise<BenchModel> {
  const named = namedModel(text, baseUrl, "judge");
  return { ...named, price: price === undefined ? await knownPrice(named.model) : pricePair(price, "judge-price") };
}

/**
 * Refuses a judge of nothing, and one under a cap that nobody knows the price of.
 * @throws LaconicError `config_invalid`
 */
export function checkJudge(jobs: readonly BenchJob[], { judge, maxUsd }: BenchConfig): void {
  if (!judge) return;
  if (jobs.every(({ problem }) => problem.grading.kind !== "text"))
    throw new LaconicError("config_invalid", "--judge: no question here has a free answer; remove it", {
      flag: "judge",
    });
  if (maxUsd !== null) checkPriced(judge.price, judge.model, "judge-price");
}

/** Opens it. The key of another server than the bench's is $OPENAI_API_KEY_JUDGE. */
export async function openJudge(
  { judge, baseUrl }: BenchConfig,
  shared: Omit<OpenAiModelOptions, "model" | "baseUrl" | "price">,
): Promise<ReturnType<typeof judgeGrader> | null> {
  if (!judge) return null;
  const { openAiModel } = await import("@laconic/openai");
  const { model, baseUrl: url, price } = judge;
  const own = environmentValue("OPENAI_API_KEY_JUDGE");
  const apiKey = own ?? (new URL(url).origin === new URL(baseUrl).origin ? undefined : "none");
  const options = { ...(apiKey !== undefined && { apiKey }), ...(price && { price }) };
  return judgeGrader({
    model: openAiModel({ ...shared, model, baseUrl: url, ...options }),
    rubric,
    deadline: { seconds: 120, timer: timerOf(globalThis) },
  });
}
