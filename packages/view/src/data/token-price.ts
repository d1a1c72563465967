type Json = Readonly<Record<string, unknown>>;
type Prices = Readonly<Record<string, number | null>>;

/** A cost that counts tokens, of all agents or of one, wherever they are read or of one sender. */
interface TokenCost {
  readonly kind: "tokens-written" | "tokens-read";
  readonly by?: string;
  readonly from?: string;
}

/** Costs of a configuration that are paid by the token, by name; the others are no token's. */
export type TokenCosts = ReadonlyMap<string, TokenCost>;

/** @param costs - `costs` of the training's settings; null is Eq. 1, which charges what is written */
export function tokenCostsOf(costs: unknown): TokenCosts {
  // A budget needs no cost of that name: it limits what is written.
  const found = new Map<string, TokenCost>([["tokens", { kind: "tokens-written" }]]);
  if (typeof costs !== "object" || costs === null) return found;
  for (const [name, cost] of Object.entries(costs as Json)) {
    const { kind, by, from } = typeof cost === "object" && cost !== null ? (cost as Json) : {};
    found.delete(name);
    if (kind !== "tokens-written" && kind !== "tokens-read") continue;
    found.set(name, { kind, ...(typeof by === "string" && { by }), ...(typeof from === "string" && { from }) });
  }
  return found;
}

/** λ of a token that an agent writes, where all pay. */
export function writtenPrice(costs: TokenCosts, prices: Prices, agent: string): number {
  return sumOf(costs, prices, ({ kind, by }) => kind === "tokens-written" && (by === undefined || by === agent));
}

/** λ of a token of one agent that another reads. */
export function readPrice(costs: TokenCosts, prices: Prices, from: string, to: string): number {
  return sumOf(
    costs,
    prices,
    (cost) =>
      cost.kind === "tokens-read" &&
      (cost.by === undefined || cost.by === to) &&
      (cost.from === undefined || cost.from === from),
  );
}

function sumOf(costs: TokenCosts, prices: Prices, isCharged: (cost: TokenCost) => boolean): number {
  let sum = 0;
  for (const [name, cost] of costs) if (isCharged(cost)) sum += prices[name] ?? 0;
  return sum;
}
