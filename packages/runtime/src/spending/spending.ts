import { join } from "node:path";
import { LaconicError, findShapeMismatch, type LanguageModel } from "@laconic/core";
import { tokenPriceShape, type TokenPrice } from "@laconic/core/ledger";
import type { SpendAccount, JournalTotals, SpendJournal } from "@laconic/openai";
import { formatUsd } from "@laconic/core/text";
import { environmentValue } from "../folders/folders.ts";
import type { Progress } from "../progress.ts";

/** What calls of a server's model are booked on, and what they cost. */
export interface Spending {
  readonly account: SpendAccount;
  /** US dollars per million tokens, where known. */
  readonly price: TokenPrice | null;
  /** Milliseconds of a call with all its attempts. Default: the client's, 10 minutes. */
  readonly deadlineMs?: number;
}

/**
 * A server's model, with as many calls at a time as it bears, booked where somebody keeps an account. The SDK is loaded here: it takes a tenth of a second, which every
 * other command would pay.
 */
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

/** Of a model whose price is public. The SDK is loaded where it is used: every other command would pay a tenth of a second for it. */
export async function knownPrice(model: string): Promise<TokenPrice | null> {
  const { publicPrices } = await import("@laconic/openai");
  return publicPrices[model] ?? null;
}

interface NamedModel {
  readonly model: string;
  readonly baseUrl: string;
}

/**
 * `NAME@URL`, or `NAME` alone for the server that is asked anyway. A name may have an `@` of its own.
 * @throws LaconicError `config_invalid` without a name
 */
export function namedModel(text: string, baseUrl: string, flag: string): NamedModel {
  const at = /@(?=https?:\/\/)/u.exec(text)?.index;
  const model = at === undefined ? text : text.slice(0, at);
  if (model === "")
    throw new LaconicError("config_invalid", `--${flag}: ${JSON.stringify(text)} is no model; write NAME@URL`, {
      flag,
    });
  return { model, baseUrl: at === undefined ? baseUrl : text.slice(at + 1) };
}

/** Of the OpenAI-compatible server that is asked where none is named. */
export function defaultBaseUrl(): string {
  return environmentValue("OPENAI_BASE_URL") ?? "https://api.openai.com/v1";
}

/** The most that may be spent on an actor's server, and how; what is not given is left to the client and to public prices. */
export interface ActorCap {
  readonly maxUsd?: number;
  readonly price?: TokenPrice;
  readonly deadlineMs?: number;
}

const flagOf = { maxUsd: "max-usd", price: "actor-price", deadlineMs: "timeout" } as const;

/**
 * What calls of an actor behind a server are booked on; null for one that is not.
 * @param spentUsd - by the same run before: the cap is the run's, however often it goes on
 * @throws LaconicError `config_invalid` for a cap that has no effect, or without a price
 */
export async function actorSpending(
  speaks: object | null,
  { maxUsd, price: given, deadlineMs }: ActorCap,
  spentUsd = 0,
): Promise<Spending | null> {
  const api = speaks !== null && "api" in speaks ? (speaks.api as { readonly model: string }) : null;
  if (api) {
    const price = given ?? (await knownPrice(api.model));
    if (maxUsd !== undefined) checkPriced(price, api.model, flagOf.price);
    const { SpendAccount } = await import("@laconic/openai");
    const account = new SpendAccount(maxUsd ?? null, spentUsd);
    return { account, price, ...(deadlineMs !== undefined && { deadlineMs }) };
  }
  const [key] = Object.entries({ maxUsd, price: given, deadlineMs }).find(([, value]) => value !== undefined) ?? [];
  if (key === undefined) return null;
  const flag = flagOf[key as keyof typeof flagOf];
  throw new LaconicError(
    "config_invalid",
    `--${flag} has no effect: no agent speaks through a server's API; remove it`,
    { flag },
  );
}

/** @throws LaconicError `config_invalid` for a price that nobody knows */
export function checkPriced(price: TokenPrice | null, model: string, flag: string): void {
  if (price) return;
  throw new LaconicError(
    "config_invalid",
    `--max-usd: what ${model} costs is not known; give --${flag}, in US dollars per million tokens, such as 0.15,0.6`,
    { flag },
  );
}

/** Every paid call of a bench, of pairs, or of a training, in its directory. */
const spendingFile = "spending.jsonl";

interface KeptAccount {
  readonly account: SpendAccount;
  close(): Promise<void>;
}

/**
 * An account that goes on from all calls of a directory, those included that a killed process never saw the end of.
 * @param spentUsd - what the directory's records cost, for one without a journal
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

/** A journal behind an account that several runs share, one after the other; calls of other runs are not in it. */
export async function keepCalls(directory: string, account: SpendAccount): Promise<SpendJournal> {
  const { openSpendJournal } = await import("@laconic/openai");
  const journal = await openSpendJournal(join(directory, spendingFile), 0);
  account.keepIn(journal);
  return journal;
}

/** All calls of a directory so far; null where none is written down. */
export async function readSpent(directory: string): Promise<JournalTotals | null> {
  const { readSpendJournal } = await import("@laconic/openai");
  return readSpendJournal(join(directory, spendingFile));
}

export async function spentIn(directory: string): Promise<number> {
  return (await readSpent(directory))?.spentUsd ?? 0;
}

const example = "0.15,0.6 or 0.15,0.6,cached=0.075,cacheWrite=0.2,reasoning=0.6,date=2026-01-31";

/**
 * Reads `--price` and its like: US dollars per million prompt and completion tokens, and by name the rates of other kinds and the day on which
 * they were read. A slash separates as a comma does, for flags that list prices.
 * @throws LaconicError `config_invalid` naming the flag and what is wrong
 */
export function parsePrice(text: string, flag = "price"): TokenPrice {
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `--${flag} is ${text}: ${reason}; expected ${example}`, { flag });
  };
  const words = text.split(/[,/]/u).map((word) => word.trim());
  const entries = words.map((word, i) => {
    const [name = "", value = ""] = i < 2 ? [["prompt", "completion"][i], word] : word.split(/=(.*)/u);
    return [name, name === "date" || value === "" ? value : Number(value)] as const;
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) return refuse(`it has two of ${JSON.stringify(twice)}`);
  const price: unknown = Object.fromEntries(entries);
  const mismatch = findShapeMismatch(tokenPriceShape, price);
  if (mismatch) return refuse(`${mismatch.path.join(".")}: ${mismatch.reason}`);
  const { date } = price as TokenPrice;
  if (date !== undefined && !isDay(date)) return refuse("date is no day, YYYY-MM-DD");
  return price as TokenPrice;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text) && new Date(text).toJSON()?.startsWith(text);
}
