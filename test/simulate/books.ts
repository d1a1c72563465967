import { tokenCost, type TokenPrice } from "../../packages/core/src/ledger/index.ts";
import { expectThat, hasMet, rowsOf } from "./scenario.ts";
import type { World } from "./world.ts";

interface Line {
  readonly call: number;
  readonly reserved?: number;
  readonly usd?: number;
  readonly usage?: Tokens;
  readonly reply?: { readonly usage: Tokens };
}

interface Tokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const crumb = 1e-9;

export class Books {
  readonly price: TokenPrice;
  readonly billed: Tokens[] = [];
  /** US dollars for all generated tokens, delivered or not. */
  charged = 0;
  /** Calls with an unknown outcome; they may count at their max cost. */
  unknown = 0;
  #atOnce = 0;
  readonly #running = new Map<number, number>();

  constructor(price: TokenPrice) {
    this.price = price;
  }

  /** Counts a program's call. @returns a function for the call's end */
  begin(program: number): () => void {
    const count = (by: number): number => (this.#running.get(program) ?? 0) + by;
    this.#running.set(program, count(1));
    this.#atOnce = Math.max(this.#atOnce, count(0));
    return () => void this.#running.set(program, count(-1));
  }

  charge(tokens: Tokens): void {
    this.charged += this.#usd(tokens);
  }

  /** @param most - max reserved US dollars of one call */
  expectJournal(
    world: World,
    path: string,
    { maxUsd, most }: { readonly maxUsd: number; readonly most: number },
  ): void {
    const open = new Map<number, number>();
    const usages: Tokens[] = [];
    let [settled, dearest] = [0, 0];
    for (const { call, reserved, usd, reply, usage = reply?.usage } of rowsOf<Line>(world.disk, path)) {
      if (reserved !== undefined) open.set(call, reserved);
      dearest = Math.max(dearest, reserved ?? 0);
      if (usd === undefined) continue;
      expectThat(open.delete(call), `call ${call} is settled, and was not begun`);
      settled += usd;
      if (usage) usages.push(usage);
    }
    const spent = settled + [...open.values()].reduce((sum, value) => sum + value, 0);
    const billed = this.billed.reduce((sum, tokens) => sum + this.#usd(tokens), 0);
    const stops = world.faults.met.filter(({ kind }) => kind === "kill" || kind === "power").length;
    // After a failed write, the journal has no more lines; calls that just ended may lack theirs.
    const isShort = hasMet(world, "error") || hasMet(world, "full");
    // A call is not sent if its line could not be synced, but the line may exist.
    const atOnce = Math.max(1, this.#atOnce);
    const unknown = this.unknown + 2 * atOnce * (stops + (isShort ? world.faults.met.length : 0));
    expectThat(spent >= this.charged - crumb, `the journal has $${spent}, and the server charged $${this.charged}`);
    expectThat(
      spent <= billed + unknown * most + crumb,
      `the journal has $${spent}: $${billed} are billed, and ${unknown} calls of at most $${most} have an end that nobody saw`,
    );
    expectThat(dearest <= most + crumb, `$${dearest} are set aside for one call, at most $${most} are needed`);
    const overrun = this.billed.reduce((sum, tokens) => sum + Math.max(0, this.#usd(tokens) - dearest), 0);
    expectThat(spent <= maxUsd + overrun + crumb, `$${spent} are spent, and the cap is $${maxUsd}`);
    if (unknown === 0) expectSame(this.billed, usages, "the usages of the journal");
  }

  /** Sums of records equal those of replies; without faults, of all billed replies. */
  expectRecords(records: readonly (Tokens & { readonly usd: number | null })[], isAll: boolean): void {
    for (const { usd, ...tokens } of records)
      expectThat(
        Math.abs((usd ?? Number.NaN) - this.#usd(tokens)) < crumb,
        `a record of ${JSON.stringify(tokens)} costs ${usd}`,
      );
    const sum = (all: readonly Tokens[], name: keyof Tokens): number =>
      all.reduce((total, tokens) => total + tokens[name], 0);
    for (const name of ["promptTokens", "completionTokens"] as const) {
      const [own, other] = [sum(records, name), sum(this.billed, name)];
      expectThat(isAll ? own === other : own <= other, `records have ${own} ${name}, and the server billed ${other}`);
    }
  }

  #usd({ promptTokens, completionTokens }: Tokens): number {
    return tokenCost(this.price, { promptTokens, completionTokens });
  }
}

function expectSame(expected: readonly Tokens[], matches: readonly Tokens[], what: string): void {
  const text = (all: readonly Tokens[]): string =>
    all
      .map(({ promptTokens, completionTokens }) => `${promptTokens}+${completionTokens}`)
      .toSorted()
      .join(" ");
  expectThat(text(matches) === text(expected), `${what} are ${text(matches)}, and the server has ${text(expected)}`);
}
