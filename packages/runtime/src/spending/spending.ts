import { join } from "node:path";
import { configError, findShapeMismatch, type LanguageModel } from "@laconic/core";
import { tokenPriceShape, type TokenPrice } from "@laconic/core/ledger";
import type { SpendAccount, JournalTotals, SpendJournal } from "@laconic/openai";
import { formatUsd } from "@laconic/core/text";
import { environmentValue } from "../folders/folders.ts";
import type { Progress } from "../progress.ts";

/** Spend account of a command. */
export interface Spending {
  readonly account: SpendAccount;
  /** US dollars per million tokens; null if unknown. */
  readonly price: TokenPrice | null;
  /** Max milliseconds of a call with all attempts. Default 10 minutes. */
  readonly deadlineMs?: number;
}

/** Limits concurrency, and books calls if an account is given. The SDK takes 0.1 s to load. */
export async function servedModel(
  { model, baseUrl }: NamedModel,
  concurrency: number,
  spending: Spending | null = null,
): Promise<LanguageModel> {
  const { Limiter, openAiModel } = await import("@laconic/openai");
  const limiter = new Limiter({ start: Math.min(20, concurrency), max: concurrency });
  const { price = null, ...rest } = spending ?? {};
  const booked = { ...rest, ...(price && { price }) };
  return openAiModel({ model, baseUrl, limiter, ...booked });
}

/** Public price; null if unknown. The SDK takes 0.1 s to load. */
export async function knownPrice(model: string): Promise<TokenPrice | null> {
  const { publicPrices } = await import("@laconic/openai");
  return publicPrices[model] ?? null;
}

interface NamedModel {
  readonly model: string;
  readonly baseUrl: string;
}

/**
 * Reads `NAME@URL`, or `NAME` for the default server; a name may contain `@`.
 * @throws LaconicError `config_invalid` without a name
 */
export function namedModel(text: string, baseUrl: string, flag: string): NamedModel {
  const index = /@(?=https?:\/\/)/u.exec(text)?.index;
  const model = index === undefined ? text : text.slice(0, index);
  if (model === "") throw configError(`--${flag}: ${JSON.stringify(text)} is not a model; write NAME@URL`, { flag });
  return { model, baseUrl: index === undefined ? baseUrl : text.slice(index + 1) };
}

/** Default address of an API. */
export function defaultBaseUrl(): string {
  return environmentValue("OPENAI_BASE_URL") ?? "https://api.openai.com/v1";
}

/** Limits for an actor's server. Absent fields use the client's defaults and public prices. */
export interface ActorCap {
  readonly maxUsd?: number;
  readonly price?: TokenPrice;
  readonly deadlineMs?: number;
}

const flagOf = { maxUsd: "max-usd", price: "actor-price", deadlineMs: "timeout" } as const;

/**
 * Account for an actor's calls; null without an API.
 * @param spentUsd - earlier spending of the run, which counts towards the cap
 * @throws LaconicError `config_invalid` for a cap without effect or price
 */
export async function actorSpending(
  speaks: object | null,
  { maxUsd, price: tokenPrice, deadlineMs }: ActorCap,
  spentUsd = 0,
): Promise<Spending | null> {
  const api = speaks !== null && "api" in speaks ? (speaks.api as { readonly model: string }) : null;
  if (api) {
    const price = tokenPrice ?? (await knownPrice(api.model));
    if (maxUsd !== undefined) checkPriced(price, api.model, flagOf.price);
    const { SpendAccount } = await import("@laconic/openai");
    const account = new SpendAccount(maxUsd ?? null, spentUsd);
    return { account, price, ...(deadlineMs !== undefined && { deadlineMs }) };
  }
  const [key] =
    Object.entries({ maxUsd, price: tokenPrice, deadlineMs }).find(([, value]) => value !== undefined) ?? [];
  if (key === undefined) return null;
  const flag = flagOf[key as keyof typeof flagOf];
  throw configError(`--${flag} has no effect: no agent uses a server's API; remove it`, { flag });
}

/** @throws LaconicError `config_invalid` for an unknown price */
export function checkPriced(price: TokenPrice | null, model: string, flag: string): void {
  if (price) return;
  throw configError(
    `--max-usd: the price of ${model} is unknown; give --${flag}, in US dollars per million tokens, such as 0.15,0.6`,
    { flag },
  );
}

const spendingFile = "spending.jsonl";

interface KeptAccount {
  readonly account: SpendAccount;
  close(): Promise<void>;
}

/**
 * Opens an account with all calls of a folder, also unfinished ones of a killed process.
 * @param spentUsd - recorded cost, used without a journal
 * @throws LaconicError `data_invalid` for a damaged journal, `run_unwritable`
 */
export async function openAccount(
  directory: string,
  maxUsd: number | null,
  spentUsd: number,
  progress: Progress,
): Promise<KeptAccount> {
  const { openSpendJournal, SpendAccount } = await import("@laconic/openai");
  const journal = await openSpendJournal(join(directory, spendingFile), spentUsd);
  const { calls, usd } = journal.before.unsettled;
  if (calls > 0)
    progress.note(
      `${calls} calls were running when the process ended: ${maxUsd === null ? "" : "the cap counts "}at most ${formatUsd(usd)} for them`,
    );
  const account = new SpendAccount(maxUsd, journal.before.spentUsd);
  account.keepIn(journal);
  return { account, close: () => journal.close() };
}

/** Journals one run's calls for a shared account. */
export async function keepCalls(directory: string, account: SpendAccount): Promise<SpendJournal> {
  const { openSpendJournal } = await import("@laconic/openai");
  const journal = await openSpendJournal(join(directory, spendingFile), 0);
  account.keepIn(journal);
  return journal;
}

/** Journal totals; null without a journal. */
export async function readSpent(directory: string): Promise<JournalTotals | null> {
  const { readSpendJournal } = await import("@laconic/openai");
  return readSpendJournal(join(directory, spendingFile));
}

/** US dollars that earlier processes of a folder have spent. */
export async function spentIn(directory: string): Promise<number> {
  return (await readSpent(directory))?.spentUsd ?? 0;
}

const example = "0.15,0.6 or 0.15,0.6,cached=0.075,cacheWrite=0.2,reasoning=0.6,date=2026-01-31";

/**
 * Reads US dollars per million prompt and completion tokens, then named rates of other kinds and the date. Slashes can
 * replace commas in flags that list prices.
 * @throws LaconicError `config_invalid` with the flag and the problem
 */
export function parsePrice(text: string, flag = "price"): TokenPrice {
  const refuse = (reason: string): never => {
    throw configError(`--${flag} is ${text}: ${reason}; expected ${example}`, { flag });
  };
  const fields = text.split(/[,/]/u).map((word) => word.trim());
  const entries = fields.map((word, i) => {
    const [name = "", value = ""] = i < 2 ? [["prompt", "completion"][i], word] : word.split(/=(.*)/u);
    return [name, name === "date" || value === "" ? value : Number(value)] as const;
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) return refuse(`${JSON.stringify(twice)} occurs twice`);
  const price: unknown = Object.fromEntries(entries);
  const mismatch = findShapeMismatch(tokenPriceShape, price);
  if (mismatch) return refuse(`${mismatch.path.join(".")}: ${mismatch.reason}`);
  const { date } = price as TokenPrice;
  if (date !== undefined && !isDay(date)) return refuse("date: expected YYYY-MM-DD");
  return price as TokenPrice;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text) && new Date(text).toJSON()?.startsWith(text);
}
