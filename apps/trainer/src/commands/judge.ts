import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { LaconicError, type LanguageModel } from "@laconic/core";
import { formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
import { answerPairs, judgeLabelled, judgePairs, labelledAnswers, rubricOf } from "@laconic/evaluation/judging";
import type { JudgingOptions } from "@laconic/evaluation/judging";
import { lastAnswers } from "@laconic/view/report";
import type { Agreement, WinRate } from "@laconic/rewards";
import { defaultBaseUrl } from "@laconic/runtime/spending";
import { command, type Command, type Values } from "../cli/command.ts";
import { positiveNumber, wholeNumber } from "../cli/numbers.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { spendingCap, spendingFlags } from "../run/spending.ts";
import { jsonFlag } from "../cli/flags.ts";

const judgeFlags = {
  first: {
    type: "positional",
    description: "Run directory, or JSON lines of id, question, answer, reference; alone: of question, answer, label",
    valueHint: "RUN_OR_FILE.jsonl",
  },
  second: { type: "positional", required: false, description: "What it is compared with", valueHint: "OTHER" },
  model: { type: "string", required: true, description: "The judge, as the server knows it", valueHint: "name" },
  "base-url": {
    type: "string",
    description: "OpenAI-compatible server (default: $OPENAI_BASE_URL, or OpenAI); its key is $OPENAI_API_KEY",
    valueHint: "url",
  },
  rubric: {
    type: "string",
    description: "What makes an answer good, or a FILE.json of criteria",
    default: "Is the answer right, complete and clear?",
    valueHint: "text",
  },
  "accept-at": {
    type: "string",
    description: "Score from which a labelled answer is accepted (default: 0.5)",
    valueHint: "share",
  },
  seconds: { type: "string", description: "That a verdict may take", default: "120", valueHint: "s" },
  concurrency: { type: "string", description: "Answers at a time", default: "8", valueHint: "n" },
  ...spendingFlags,
  insecure: { type: "boolean", description: "Send the key over http to another machine" },
  ...jsonFlag,
} as const;

type JudgeArgs = Values<typeof judgeFlags>;

export const judgeCommand: Command = command({
  description: "A model judges: whose answers it prefers of two runs, or how far it agrees with labelled ones",
  args: judgeFlags,
  run: async (args, { terminal }) => {
    const { acceptAt, ...options } = await optionsOf(args);
    const pairs = args.second ? await answerPairs(resolve(args.first), resolve(args.second), lastAnswers) : null;
    const labelled = pairs ? [] : await labelledAnswers(resolve(args.first));
    const count = pairs?.length ?? labelled.length;
    if (count === 0)
      throw new LaconicError(
        "data_invalid",
        `there is nothing to judge: ${pairs ? "no question has an answer in both" : "no labelled answers"}`,
      );
    const judge = { ...options, model: await judgeOf(args) };
    terminal.note(
      pairs
        ? `${count} pairs, at most ${count * 4} questions to ${args.model}`
        : `${count} labelled answers, at most ${count * 2} questions to ${args.model}`,
    );
    if (pairs) {
      const { result, refusal } = await judgePairs(pairs, judge, progress(count, terminal));
      printResult(terminal, args.json, result, rateText);
      return codeOf(refusal, result.rate === null, terminal);
    }
    const { result, refusal } = await judgeLabelled(labelled, judge, acceptAt);
    printResult(terminal, args.json, result, agreementText);
    return codeOf(refusal, result.judged === 0, terminal);
  },
});

/** @throws LaconicError `config_invalid` naming the flag */
async function optionsOf(args: JudgeArgs): Promise<Omit<JudgingOptions, "model"> & { readonly acceptAt: number }> {
  if (args.second && args["accept-at"] !== undefined)
    throw new LaconicError("config_invalid", "--accept-at has no effect on pairs; remove it", { flag: "accept-at" });
  return {
    rubric: await rubricOf(args.rubric),
    atOnce: wholeNumber("concurrency", args.concurrency),
    seconds: positiveNumber("seconds", args.seconds),
    acceptAt: positiveNumber("accept-at", args["accept-at"] ?? "0.5"),
  };
}

/** The judge behind its server. */
async function judgeOf(args: JudgeArgs): Promise<LanguageModel> {
  const { maxUsd, price } = await spendingCap(args, args.model);
  const { openAiModel, SpendAccount } = await import("@laconic/openai");
  return openAiModel({
    model: args.model,
    baseUrl: args["base-url"] ?? defaultBaseUrl(),
    insecure: args.insecure === true,
    account: new SpendAccount(maxUsd),
    ...(price && { price }),
  });
}

/** 0 where there are verdicts, and nothing refused the rest. */
function codeOf(refusal: string | null, nothing: boolean, terminal: Terminal): number {
  if (refusal !== null) terminal.note(`stopped: ${refusal}`);
  return nothing || refusal !== null ? 1 : 0;
}

/** Time left, and why the first pair without a verdict has none. */
function progress(pairs: number, terminal: Terminal): (verdict: { status: string; reason?: string }) => void {
  const started = performance.now();
  let done = 0;
  let isNoted = false;
  return ({ status, reason }) => {
    done++;
    const seconds = ((performance.now() - started) / 1000 / done) * (pairs - done);
    if (terminal.interactive) terminal.status(`${done} of ${pairs} pairs, ${formatDuration(seconds)} left`);
    if (status !== "undecided" || isNoted) return;
    isNoted = true;
    terminal.note(`no verdict: ${JSON.stringify(reason)}`);
  };
}

function rateText({ rate, pairs, wins, losses, ties, byPlace, undecided }: WinRate): string {
  const share = rate
    ? `the first is preferred in ${formatPercent(rate.value)} (95 % interval ${formatPercent(rate.low)} to ${formatPercent(rate.high)}) of ${pairs - undecided} pairs`
    : `no verdict on ${pairs} pairs`;
  return `${share}: ${wins} wins, ${losses} losses, ${ties} ties, ${byPlace} of them verdicts for a place; ${undecided} undecided`;
}

function agreementText({ judged, undecided, accuracy, kappa, confusion }: Agreement): string {
  const { goodAccepted, goodRejected, badAccepted, badRejected } = confusion;
  return [
    `${accuracy === null ? "no verdicts" : `accuracy ${formatPercent(accuracy)}`}, Cohen's kappa ${kappa === null ? "undefined" : formatNumber(kappa)}; ${judged} judged, ${undecided} undecided`,
    `good: ${goodAccepted} accepted, ${goodRejected} rejected; bad: ${badAccepted} accepted, ${badRejected} rejected`,
  ].join("\n");
}
