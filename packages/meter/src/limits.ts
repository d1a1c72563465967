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

/** Sums the dollars of finished calls, and reserves some for running ones. */
export class Spending {
  readonly #limits: SpendingLimits;
  readonly #prices: Prices;
  readonly #spent = new Map<string, number>();
  readonly #reserved = new Map<string, number>();
  /** Finished calls by agent. */
  readonly #finished = new Map<string, { readonly calls: number; readonly usd: number }>();

  /** @param prices - own prices; calls of unknown price cost nothing */
  constructor(limits: SpendingLimits, prices: Prices = {}) {
    [this.#limits, this.#prices] = [limits, prices];
  }

  add(call: MeteredCall): void {
    const usd = costOf(call, this.#prices) ?? 0;
    for (const key of keysOf(call)) increase(this.#spent, key, usd);
    const before = this.#finished.get(call.agent) ?? { calls: 0, usd: 0 };
    this.#finished.set(call.agent, { calls: before.calls + 1, usd: before.usd + usd });
  }

  /**
   * Reserves the mean cost of the agent's calls while a call runs.
   * @returns the end of the reservation, or a reason to refuse the call
   */
  reserve(call: Spender): (() => void) | string {
    const { agents, task, day } = this.#limits;
    const limits = [agents[call.agent], task, day];
    for (const [i, key] of keysOf(call).entries()) {
      const [limit, spent, reserved] = [limits[i], this.#spent.get(key) ?? 0, this.#reserved.get(key) ?? 0];
      if (limit === undefined || spent + reserved < limit) continue;
      const running = reserved > 0 ? `, and running calls may cost $${reserved.toFixed(4)}` : "";
      return `${key} has spent $${spent.toFixed(4)} of $${limit}${running}`;
    }
    const { calls, usd } = this.#finished.get(call.agent) ?? { calls: 1, usd: 0 };
    const change = (amount: number) => keysOf(call).forEach((key) => increase(this.#reserved, key, amount));
    change(usd / calls);
    return () => change(-usd / calls);
  }
}

function increase(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

type Spender = Pick<MeteredCall, "agent" | "task" | "time">;

function keysOf({ agent, task, time }: Spender): readonly string[] {
  const day = time.slice(0, 10);
  return [`agent ${agent} on ${day}`, `task ${task}`, `day ${day}`];
}
