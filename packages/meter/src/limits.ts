import { tokenCost, type TokenPrice } from "@laconic/core/ledger";
import { publicPrices } from "@laconic/openai";
import type { MeteredCall } from "./call.ts";

/** US dollars per million tokens by model. */
export type Prices = Readonly<Record<string, TokenPrice>>;

/** Limits in US dollars for an agent, a task and a day. */
export interface SpendingLimits {
  readonly agents: Readonly<Record<string, number>>;
  readonly task?: number | undefined;
  readonly day?: number | undefined;
}

/** Returns a model's price; own prices come first. Names may have a provider before and a date behind. */
export function priceOf(model: string, own: Prices = {}): TokenPrice | null {
  const name = model.replace(/^.*\//u, "");
  const plain = name.replace(/[-@](?:20\d\d-?\d\d-?\d\d|latest)$/u, "");
  for (const prices of [own, publicPrices])
    for (const key of [model, name, plain]) if (Object.hasOwn(prices, key)) return prices[key] ?? null;
  return null;
}

/** US dollars of a call; null if neither a price nor the server's report is known. */
export function costOf(call: Pick<MeteredCall, "model" | "usage">, own?: Prices): number | null {
  return call.usage && tokenCost(priceOf(call.model, own), call.usage);
}

/** Sums the dollars of finished calls. */
export class Spending {
  readonly #limits: SpendingLimits;
  readonly #prices: Prices;
  readonly #spent = new Map<string, number>();

  /** @param prices - own prices; calls of unknown price cost nothing */
  constructor(limits: SpendingLimits, prices: Prices = {}) {
    [this.#limits, this.#prices] = [limits, prices];
  }

  add(call: MeteredCall): void {
    const usd = costOf(call, this.#prices) ?? 0;
    for (const key of keysOf(call)) this.#spent.set(key, (this.#spent.get(key) ?? 0) + usd);
  }

  /** Reason to refuse a call; null below all limits. Calls in progress do not count yet. */
  refusal(call: Spender): string | null {
    const { agents, task, day } = this.#limits;
    const limits = [agents[call.agent], task, day];
    for (const [i, key] of keysOf(call).entries()) {
      const [limit, spent] = [limits[i], this.#spent.get(key) ?? 0];
      if (limit !== undefined && spent >= limit) return `${key} has spent $${spent.toFixed(4)} of $${limit}`;
    }
    return null;
  }
}

type Spender = Pick<MeteredCall, "agent" | "task" | "time">;

function keysOf({ agent, task, time }: Spender): readonly string[] {
  const day = time.slice(0, 10);
  return [`agent ${agent} on ${day}`, `task ${task}`, `day ${day}`];
}
