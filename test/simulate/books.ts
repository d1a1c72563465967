import { tokenCost, type TokenPrice } from "../../packages/core/src/ledger/index.ts";
import { expectThat, hasMet, rowsOf } from "./scenario.ts";
import type { World } from "./world.ts";

/** A line of a spending journal, as its format is documented. */
interface Line {
  readonly call: number;
  readonly reserved?: number;
  readonly usd?: number;
  /** Of a reply that is not kept. */
  readonly usage?: Tokens;
  readonly reply?: { readonly usage: Tokens };
}

interface Tokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** US dollars below which two sums are the same. */
const crumb = 1e-9;

/** What a server has charged, against what its client has written down. */
export class Books {
  readonly price: TokenPrice;
  /** Replies that went out whole, as their usage bills them. */
  readonly billed: Tokens[] = [];
  /** US dollars for all that was written, whether or not it arrived. */
  charged = 0;
  /** Calls whose end the client cannot know: they may count at the most that they could cost. */
  unknown = 0;
  /** Calls of one program in flight at once, at most. */
  #atOnce = 0;
  readonly #running = new Map<number, number>();

  constructor(price: TokenPrice) {
    this.price = price;
  }

  /** A program asks. @returns called at the end of its call */
  begin(program: number): () => void {
    const count = (by: number): number => (this.#running.get(program) ?? 0) + by;
    this.#running.set(program, count(1));
    this.#atOnce = Math.max(this.#atOnce, count(0));
    return () => void this.#running.set(program, count(-1));
  }

  charge(tokens: Tokens): void {
    this.charged += this.#usd(tokens);
  }

  /** @param most - US dollars of the dearest call, as it may be set aside */
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
    const spent = settled + [...open.values()].reduce((sum, each) => sum + each, 0);
    const billed = this.billed.reduce((sum, each) => sum + this.#usd(each), 0);
    const stops = world.faults.met.filter(({ kind }) => kind === "kill" || kind === "power").length;
    // Behind a line that could not be written the journal has no more; of calls that have just ended the line may not be there yet.
    const isShort = hasMet(world, "error") || hasMet(world, "full");
    // A call whose line could not be made durable is not sent, and its line may be there.
    const atOnce = Math.max(1, this.#atOnce);
    const unknown = this.unknown + 2 * atOnce * (stops + (isShort ? world.faults.met.length : 0));
    expectThat(spent >= this.charged - crumb, `the journal has $${spent}, and the server charged $${this.charged}`);
    expectThat(
      spent <= billed + unknown * most + crumb,
      `the journal has $${spent}: $${billed} are billed, and ${unknown} calls of at most $${most} have an end that nobody saw`,
    );
    expectThat(dearest <= most + crumb, `$${dearest} are set aside for one call, at most $${most} are needed`);
    const overrun = this.billed.reduce((sum, each) => sum + Math.max(0, this.#usd(each) - dearest), 0);
    expectThat(spent <= maxUsd + overrun + crumb, `$${spent} are spent, and the cap is $${maxUsd}`);
    if (unknown === 0) expectSame(this.billed, usages, "the usages of the journal");
  }

  /** Sums of records are those of replies: all that were billed, where nothing went wrong. */
  expectRecords(records: readonly (Tokens & { readonly usd: number | null })[], isAll: boolean): void {
    for (const { usd, ...tokens } of records)
      expectThat(
        Math.abs((usd ?? Number.NaN) - this.#usd(tokens)) < crumb,
        `a record of ${JSON.stringify(tokens)} costs ${usd}`,
      );
    const sum = (all: readonly Tokens[], name: keyof Tokens): number =>
      all.reduce((total, each) => total + each[name], 0);
    for (const name of ["promptTokens", "completionTokens"] as const) {
      const [own, other] = [sum(records, name), sum(this.billed, name)];
      expectThat(isAll ? own === other : own <= other, `records have ${own} ${name}, and the server billed ${other}`);
    }
  }

  #usd({ promptTokens, completionTokens }: Tokens): number {
    return tokenCost(this.price, { promptTokens, completionTokens });
  }
}

function expectSame(expected: readonly Tokens[], found: readonly Tokens[], what: string): void {
  const text = (all: readonly Tokens[]): string =>
    all
      .map(({ promptTokens, completionTokens }) => `${promptTokens}+${completionTokens}`)
      .toSorted()
      .join(" ");
  expectThat(text(found) === text(expected), `${what} are ${text(found)}, and the server has ${text(expected)}`);
}
