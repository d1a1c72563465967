import { promptVersion } from "@laconic/baselines";
import { benchmarkNamed } from "@laconic/benchmarks";
import type { TokenPrice } from "@laconic/core/ledger";
import { formatUsd } from "@laconic/core/text";
import templates from "../../assets/bench-notes.json" with { type: "json" };
import type { Unpartitioned } from "../bench-plan.ts";
import { agentPoSource, publishedSource } from "../published.ts";
import { deadResults, type MethodSummary } from "../results/summary.ts";
import { describeOwn, isWindow, methodSpec, setNames, windowName, type BenchConfig } from "./bench-config.ts";
import { describeSkipped } from "./bench-folder.ts";

/** Calls to servers, including failed samples. */
export interface SpentCalls {
  readonly calls: number;
  readonly spentUsd: number;
  /** Unfinished calls of a killed process, at max cost. */
  readonly unsettled: { readonly calls: number; readonly usd: number };
}

function note(name: keyof typeof templates, values: Readonly<Record<string, string | number>> = {}): string {
  return templates[name].replaceAll(/\{(\w+)\}/gu, (_, key: string) => String(values[key] ?? ""));
}

const hostOf = (baseUrl: string) => new URL(baseUrl).origin;

export function notesOf(
  config: BenchConfig,
  summaries: readonly MethodSummary[],
  skipped: readonly Unpartitioned[],
): string[] {
  const { model, baseUrl, temperature, maxTokens, seed, repeats, shots, judge, actor, roleModels } = config;
  const ofPaper = "of each method's paper";
  const played = summaries.filter(({ protocol }) => protocol !== null);
  const protocols = played.map(({ benchmark, method, protocol, shots: shown }) =>
    [`${method} on ${benchmark} ${protocol}`, ...(shown ? [`${shown} examples`] : [])].join(", "),
  );
  const noted = summaries.flatMap(({ benchmark, method, notes, scored }) =>
    Object.entries(notes).map(([text, count]) => `${method} on ${benchmark} ${text}: ${count} of ${scored}`),
  );
  const unscored = summaries.flatMap(({ benchmark, method, scored, samples }) =>
    scored < samples ? `${benchmark} ${method} ${scored} of ${samples}` : [],
  );
  const isRetried = summaries.some(
    ({ accuracy, firstAttemptAccuracy: first }) =>
      accuracy && first !== null && Math.abs(accuracy.value - first) > 1e-9,
  );
  const otherActor = actor === null ? "" : ` and the actor ${actor} instead of its training actor`;
  const teams = config.methods.map(methodSpec).filter(({ run }) => run !== null);
  return [
    ...deadResults(summaries),
    note("settings", {
      model,
      host: hostOf(baseUrl),
      temperature: temperature ?? ofPaper,
      maxTokens: maxTokens ?? "its protocol's limit of",
      seed,
      repeats,
      prompts: promptVersion,
      shots: shots ?? ofPaper,
    }),
    ...gradeRuleNotes(config),
    ...(judge ? [note("judge", { model: judge.model, host: hostOf(judge.baseUrl) })] : []),
    note("questions", { questions: questionCounts(config, summaries) }),
    ...windowNote(config),
    note("intervals"),
    ...priceNote(config),
    ...(protocols.length > 0 ? [note("protocols", { protocols: [...new Set(protocols)].join("; ") })] : []),
    ...(noted.length > 0 ? [note("noted", { notes: noted.join("; ") })] : []),
    note("sources", { sources: `${publishedSource}; ${agentPoSource}` }),
    ...teams.map(({ name, run }) => note("team", { name, run: run ?? "", actor: otherActor })),
    ...Object.entries(roleModels).map(([slot, role]) =>
      note("role", { slot, model: role.model, host: hostOf(role.baseUrl) }),
    ),
    ...describeOwn(config.own),
    ...dealtNote(config, summaries),
    ...describeSkipped(skipped),
    ...(unscored.length > 0 ? [note("unscored", { methods: unscored.join(", ") })] : []),
    ...(isRetried ? [note("retried")] : []),
  ];
}

export function spentNote(spent: SpentCalls | null, { price }: BenchConfig): string[] {
  if (!spent || spent.calls === 0) return [];
  const { calls, spentUsd, unsettled } = spent;
  const open = { calls: unsettled.calls, usd: price === null ? "" : `${formatUsd(unsettled.usd)}, ` };
  const usd = price === null ? "" : ` and ${formatUsd(spentUsd)}`;
  return [note("spent", { calls, usd, open: open.calls > 0 ? note("open", open) : "" })];
}

function gradeRuleNotes(config: BenchConfig): string[] {
  const { gradeRule, gradeRules } = config;
  const sets = setNames(config).map((name) => ({
    name,
    rule: Object.hasOwn(gradeRules, name) ? (gradeRules[name] ?? gradeRule) : gradeRule,
  }));
  const isOne = sets.every(({ rule }) => rule === gradeRule);
  return (["lenient", "published"] as const).flatMap((rule) => {
    const judged = sets.filter((set) => set.rule === rule).map(({ name }) => name);
    return judged.length === 0 ? [] : [note(rule, { sets: isOne ? "" : `${judged.join(", ")}: ` })];
  });
}

function questionCounts(config: BenchConfig, summaries: readonly MethodSummary[]): string {
  const { data, own } = config;
  const totalOf = (name: string): number | string => {
    const questions = data?.name === name ? data.questions : own.boards.find((board) => board.name === name)?.questions;
    if (questions !== undefined) return questions;
    const { date, splits, defaultSplit } = benchmarkNamed(name);
    return date !== undefined && isWindow(config) ? "its window" : (splits[defaultSplit]?.rows ?? "?");
  };
  const askedOf = (name: string) => summaries.find(({ benchmark }) => benchmark === name)?.questions ?? 0;
  return setNames(config)
    .map((name) => `${name} ${askedOf(name)} of ${totalOf(name)}`)
    .join(", ");
}

const rateNames = { cacheWrite: "cache write" } as Readonly<Record<string, string>>;
const rateKinds = ["prompt", "cached", "cacheWrite", "completion", "reasoning"] as const;

function priceNote({ model, price, roleModels, judge }: BenchConfig): string[] {
  const ratesOf = (rates: TokenPrice) => {
    const shown = rateKinds.flatMap((kind) =>
      rates[kind] === undefined ? [] : `${rates[kind]} ${rateNames[kind] ?? kind}`,
    );
    return `${shown.join(", ")}${rates.date === undefined ? "" : ` (read on ${rates.date})`}`;
  };
  const priced = [{ model, price }, ...Object.values(roleModels), ...(judge ? [judge] : [])];
  const prices = new Set(priced.flatMap((item) => (item.price ? `${item.model} ${ratesOf(item.price)}` : [])));
  return prices.size === 0 ? [] : [note("prices", { prices: [...prices].join("; ") })];
}

function dealtNote({ distribute }: BenchConfig, summaries: readonly MethodSummary[]): string[] {
  const methods = [...new Set(summaries.flatMap(({ method, setting }) => (setting === "dealt" ? method : [])))];
  const others = distribute ? "" : " --distribute deals the same questions to other methods.";
  return methods.length === 0 ? [] : [note("dealt", { methods: methods.join(", "), others })];
}

function windowNote(config: BenchConfig): string[] {
  if (!isWindow(config)) return [];
  const dated = config.benchmarks.filter((name) => benchmarkNamed(name).date !== undefined);
  return [note("window", { benchmarks: dated.join(", "), window: windowName(config) })];
}
