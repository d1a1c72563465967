import { formatUsd } from "@laconic/core/text";
import { promptVersion } from "@laconic/baselines";
import { benchmarkNamed } from "@laconic/benchmarks";
import type { TokenPrice } from "@laconic/core/ledger";
import type { GradeRule } from "@laconic/grading";
import type { Unpartitioned } from "../bench-plan.ts";
import { publishedSource } from "../published.ts";
import { agentPoSource } from "../published.ts";
import { deadResults, type MethodSummary } from "../results/summary.ts";
import { isWindow, setNames, windowName, type BenchConfig, methodSpec, describeOwn } from "./bench-config.ts";
import { describeSkipped } from "./bench-folder.ts";

/** Calls to servers, whatever became of their samples. */
export interface SpentCalls {
  readonly calls: number;
  readonly spentUsd: number;
  /** Those that a killed process never saw the end of, with the most that they can cost. */
  readonly unsettled: { readonly calls: number; readonly usd: number };
}

const ruleNotes = {
  lenient:
    "Answers are judged leniently: a percent sign on one side, a decimal rounded to two digits, another unit and a base that is left out are forgiven.",
  published:
    "Answers are judged by published graders' rules: lm-evaluation-harness's strict match of numbers, Qwen2.5-Math's letters, MATH's equality of texts, Minerva's own on its questions, programs as HumanEval, MBPP, LiveCodeBench and AgentPrune take them from a reply.",
} as const;

/** Whose rule decided, a sentence for each but ours, naming the benchmarks where rules differ. */
function gradeRuleNotes(
  config: Pick<BenchConfig, "benchmarks" | "data" | "own" | "gradeRule" | "gradeRules">,
): string[] {
  const { gradeRule, gradeRules } = config;
  const sets = setNames(config);
  const ruleOf = (name: string): GradeRule =>
    Object.hasOwn(gradeRules, name) ? (gradeRules[name] ?? gradeRule) : gradeRule;
  const isOne = sets.every((name) => ruleOf(name) === gradeRule);
  return (["lenient", "published"] as const).flatMap((rule) => {
    const judged = sets.filter((name) => ruleOf(name) === rule);
    if (judged.length === 0) return [];
    return [isOne ? ruleNotes[rule] : `${judged.join(", ")}: ${ruleNotes[rule]}`];
  });
}

/** How a bench was measured, a sentence each. */
export function notesOf(
  config: BenchConfig,
  summaries: readonly MethodSummary[],
  skipped: readonly Unpartitioned[],
): string[] {
  const failed = summaries.filter(({ scored, samples }) => scored < samples);
  const retried = summaries.filter(
    ({ accuracy, firstAttemptAccuracy }) =>
      accuracy && firstAttemptAccuracy !== null && Math.abs(accuracy.value - firstAttemptAccuracy) > 1e-9,
  );
  const temperature = config.temperature === null ? "of each method's paper" : String(config.temperature);
  return [
    ...deadResults(summaries),
    `Model ${config.model} at ${new URL(config.baseUrl).origin}; temperature ${temperature}; at most ${config.maxTokens ?? "its protocol's ceiling of"} tokens a reply; seed ${config.seed}; ${config.repeats} repeat${config.repeats === 1 ? "" : "s"}; prompts ${promptVersion}; examples ${config.shots ?? "of each method's paper"}.`,
    ...gradeRuleNotes(config),
    ...(config.judge
      ? [
          `Free answers are judged by ${config.judge.model} at ${new URL(config.judge.baseUrl).origin}, which is shown question and gold: a model's word, whose agreement with labels \`laconic grade judge\` measures.`,
        ]
      : []),
    `Questions: ${setNames(config)
      .map(
        (name) =>
          `${name} ${summaries.find(({ benchmark }) => benchmark === name)?.questions ?? 0} of ${totalOf(name, config)}`,
      )
      .join(", ")}.`,
    ...windowNote(config),
    "Intervals are 95 %: Wilson's for a share, by question where it is repeated, the bootstrap over questions for differences, or an exact one where few questions differ. Tokens are prompt and completion together unless a column says otherwise. Costs are of samples with a score and of calibration; what failed attempts cost is not in them.",
    ...priceNote(config),
    ...protocolNote(summaries),
    `Published figures, beside methods that are played as published and no others: ${publishedSource}; ${agentPoSource}. Another model, other prompts, another tokenizer, and their papers' graders (--grade-rule published judges ours by those): they are beside ours, not comparable with them.`,
    ...config.methods
      .map((method) => methodSpec(method))
      .filter(({ run }) => run !== null)
      .map(
        ({ name, run }) =>
          `${name} is the team of ${run}, with its own models${config.actor === null ? "" : ` and the actor ${config.actor} instead of the training's`}: no published figure is of it.`,
      ),
    ...Object.entries(config.roleModels).map(
      ([slot, { model, baseUrl }]) => `The role ${slot} speaks with ${model} at ${new URL(baseUrl).origin}.`,
    ),
    ...describeOwn(config.own),
    ...settingNote(config, summaries),
    ...describeSkipped(skipped),
    ...(failed.length > 0
      ? [
          `Some samples have no score: ${failed.map(({ benchmark, method, scored, samples }) => `${benchmark} ${method} ${scored} of ${samples}`).join(", ")}. Go on with --resume.`,
        ]
      : []),
    ...(retried.length > 0
      ? ["Failed samples were taken again, which can favour the easier ones: first attempts alone differ."]
      : []),
  ];
}

/** The rates of each model, and the day on which they were read. */
function priceNote({ model, price, roleModels, judge }: BenchConfig): string[] {
  const priced = [{ model, price }, ...Object.values(roleModels), ...(judge ? [judge] : [])];
  const rates = new Set(priced.flatMap((each) => (each.price ? `${each.model} ${ratesOf(each.price)}` : [])));
  return rates.size === 0 ? [] : [`Prices in US dollars per million tokens: ${[...rates].join("; ")}.`];
}

const rateNames = ["prompt", "cached", "cacheWrite", "completion", "reasoning"] as const;

function ratesOf(price: TokenPrice): string {
  const rates = rateNames.flatMap((kind) =>
    price[kind] === undefined ? [] : `${price[kind]} ${kind === "cacheWrite" ? "cache write" : kind}`,
  );
  return `${rates.join(", ")}${price.date === undefined ? "" : ` (read on ${price.date})`}`;
}

/** Every call, whatever became of its sample. */
export function spentNote(spent: SpentCalls | null, { price }: BenchConfig): string[] {
  if (!spent || spent.calls === 0) return [];
  const { calls, spentUsd, unsettled } = spent;
  const paid = price === null ? "" : ` and ${formatUsd(spentUsd)}`;
  const open =
    unsettled.calls > 0
      ? `, of which ${unsettled.calls} ended with the process and count ${price === null ? "" : `${formatUsd(unsettled.usd)}, `}the most that they can cost`
      : "";
  return [`In all ${calls} calls${paid}, those of failed and cut off samples included${open}.`];
}

/** What agents saw, and why rows stand in two tables. */
function settingNote({ distribute }: BenchConfig, summaries: readonly MethodSummary[]): string[] {
  const named = (setting: MethodSummary["setting"]): string =>
    [...new Set(summaries.filter((each) => each.setting === setting).map(({ method }) => method))].join(", ");
  if (named("dealt") === "") return [];
  const others = distribute ? "" : " With --distribute the other methods that can be are dealt the same questions.";
  return [
    `Dealt: ${named("dealt")}. What a question states is dealt among their agents, nobody sees another's part, and what is asked is everybody's; records name the seed and the agents. They stand in tables of their own and are compared with each other alone: methods that see whole questions play another game.${others}`,
  ];
}

/** Protocols by method and benchmark, and what methods noted of their samples. */
function protocolNote(summaries: readonly MethodSummary[]): string[] {
  const played = summaries.filter(({ protocol }) => protocol !== null);
  const noted = summaries.flatMap(({ benchmark, method, notes, scored }) =>
    Object.entries(notes).map(([note, count]) => `${method} on ${benchmark} ${note}: ${count} of ${scored}`),
  );
  return [
    ...(played.length > 0
      ? [
          `Protocols: ${[...new Set(played.map(({ benchmark, method, protocol, shots }) => `${method} on ${benchmark} ${protocol}${shots ? `, ${shots} examples` : ""}`))].join("; ")}.`,
        ]
      : []),
    ...(noted.length > 0 ? [`Noted: ${noted.join("; ")}.`] : []),
  ];
}

function windowNote(config: BenchConfig): string[] {
  if (!isWindow(config)) return [];
  const dated = config.benchmarks.filter((name) => benchmarkNamed(name).date !== undefined);
  return [
    `Of ${dated.join(", ")} the questions of ${windowName(config)} alone, both days included, out of releases that were here.`,
  ];
}

function totalOf(name: string, config: BenchConfig): number | string {
  const { data, own } = config;
  const questions = data?.name === name ? data.questions : own.boards.find((board) => board.name === name)?.questions;
  if (questions !== undefined) return questions;
  const benchmark = benchmarkNamed(name);
  if (benchmark.date !== undefined && isWindow(config)) return "its window";
  return benchmark.splits[benchmark.defaultSplit]?.rows ?? "?";
}
