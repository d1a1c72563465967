import {
  flagError,
  grouped,
  optionalPositional,
  positional,
  positiveFlag,
  requiredFlag,
  textFlag,
  toggle,
  wholeFlag,
} from "../cli/arguments.ts";
import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { formatNumber, formatPercent } from "@laconic/core/text";
import { answerPairs, judgeLabelled, judgePairs, labelledAnswers, rubricOf } from "@laconic/evaluation/judging";
import { lastAnswers } from "@laconic/view/report";
import type { Agreement, WinRate } from "@laconic/rewards";
import { defaultBaseUrl } from "@laconic/runtime/spending";
import { command, type Command } from "../cli/command.ts";
import { leftText } from "../cli/progress.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { spendingCap, spendingFlags } from "../run/spending.ts";
import { baseUrlFlag, jsonFlag } from "../cli/flags.ts";

export const judgeCommand: Command = command({
  description: "Compare the answers of two runs with a judge model, or test a judge on labelled answers",
  examples: ["laconic grade judge runs/a runs/b --model gpt-4o-mini --max-usd 1"],
  args: {
    first: positional(
      "Run folder, or JSON lines of id, question, answer, reference; alone: question, answer, label",
      "RUN_OR_FILE.jsonl",
    ),
    second: optionalPositional("Run folder or file to compare with", "OTHER"),
    ...grouped("Model", { model: requiredFlag("Judge model's name on the server", "name") }),
    ...grouped("Server", {
      "base-url": baseUrlFlag,
      concurrency: wholeFlag()("Answers in parallel", "n", "8"),
      insecure: toggle("Send the key over http to another machine"),
    }),
    ...grouped("Sampling", {
      rubric: textFlag("Criterion, or a FILE.json of criteria", "text", "Is the answer right, complete and clear?"),
      "accept-at": positiveFlag("Min score of an accepted labelled answer (default: 0.5)", "share"),
    }),
    ...grouped("Limits", { timeout: positiveFlag("Max seconds per verdict", "s", "120") }),
    ...spendingFlags,
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    const { first, second, model, "accept-at": acceptAt, json } = args;
    if (second !== undefined && acceptAt !== undefined)
      throw flagError("accept-at", "has no effect on pairs; remove it");
    const rubric = await rubricOf(args.rubric);
    const pairs = second === undefined ? null : await answerPairs(resolve(first), resolve(second), lastAnswers);
    const labelled = pairs ? [] : await labelledAnswers(resolve(first));
    const count = pairs?.length ?? labelled.length;
    if (count === 0)
      throw new LaconicError(
        "data_invalid",
        `no answers to judge: ${pairs ? "the inputs share no question" : "no labelled answers"}`,
      );
    const { maxUsd, price } = await spendingCap(args, model);
    const { openAiModel, SpendAccount } = await import("@laconic/openai");
    const judge = openAiModel({
      model,
      baseUrl: args["base-url"] ?? defaultBaseUrl(),
      insecure: args.insecure,
      account: new SpendAccount(maxUsd),
      ...(price && { price }),
    });
    const options = { model: judge, rubric, atOnce: args.concurrency, seconds: args.timeout };
    const [what, value] = pairs ? ["pairs", 4] : ["labelled answers", 2];
    terminal.note(`${count} ${what}, at most ${count * value} requests to ${model}`);
    if (pairs) {
      const { result, refusal } = await judgePairs(pairs, options, progress(count, terminal));
      printResult(terminal, json, result, rateText);
      return codeOf(refusal, result.rate === null, terminal);
    }
    const { result, refusal } = await judgeLabelled(labelled, options, acceptAt ?? 0.5);
    printResult(terminal, json, result, agreementText);
    return codeOf(refusal, result.judged === 0, terminal);
  },
});

function codeOf(refusal: string | null, nothing: boolean, terminal: Terminal): number {
  if (refusal !== null) terminal.note(`stopped: ${refusal}`);
  return nothing || refusal !== null ? 1 : 0;
}

function progress(pairs: number, terminal: Terminal): (verdict: { status: string; reason?: string }) => void {
  const started = performance.now();
  let done = 0;
  let isNoted = false;
  return ({ status, reason }) => {
    done++;
    if (terminal.interactive) terminal.status(`${done} of ${pairs} pairs, ${leftText(started, done / pairs)}`);
    if (status !== "undecided" || isNoted) return;
    isNoted = true;
    terminal.note(`no verdict: ${JSON.stringify(reason)}`);
  };
}

function rateText({ rate, pairs, wins, losses, ties, byPlace, undecided }: WinRate): string {
  const share = rate
    ? `the first is preferred in ${formatPercent(rate.value)} (95 % interval ${formatPercent(rate.low)} to ${formatPercent(rate.high)}) of ${pairs - undecided} pairs`
    : `no verdict on ${pairs} pairs`;
  return `${share}: ${wins} wins, ${losses} losses, ${ties} ties, ${byPlace} of them by position; ${undecided} undecided`;
}

function agreementText({ judged, undecided, accuracy, kappa, confusion }: Agreement): string {
  const { goodAccepted, goodRejected, badAccepted, badRejected } = confusion;
  return [
    `${accuracy === null ? "no verdicts" : `accuracy ${formatPercent(accuracy)}`}, Cohen's kappa ${kappa === null ? "undefined" : formatNumber(kappa)}; ${judged} judged, ${undecided} undecided`,
    `good: ${goodAccepted} accepted, ${goodRejected} rejected; bad: ${badAccepted} accepted, ${badRejected} rejected`,
  ].join("\n");
}
