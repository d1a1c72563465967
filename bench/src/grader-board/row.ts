import type { Random } from "@laconic/core";
import type { RuleName } from "./rules.ts";

/** How a pair is judged. */
export type Kind = "maths" | "numeric" | "letter" | "text";

/** A pair of the board: a reply, the gold answer, what the rule says of it. */
export interface BoardRow {
  readonly id: string;
  readonly kind: Kind;
  readonly gold: string;
  readonly prediction: string;
  readonly verdict: boolean;
  readonly rule: RuleName;
  readonly tags: readonly string[];
}

/** An answer to put into a reply; with the same in SymPy's notation; or the whole reply, as it is. */
export type Said = string | readonly [answer: string, sympy: string] | { readonly reply: string };

/** A gold, answers that say the same, and answers that do not. */
export interface Item {
  readonly gold: string;
  /** The gold in SymPy's notation: the verdict on answers that have theirs is then checked. */
  readonly sympy?: string;
  readonly right: readonly Said[];
  readonly wrong: readonly Said[];
}

/** Where pairs come from: as many items as are asked for. */
export interface Template {
  readonly kind: Kind;
  readonly rule: RuleName;
  readonly tag: string;
  make(draw: Draw): Item;
}

/** An item that somebody wrote, with all of its answers on the board. */
export interface Written extends Item {
  readonly kind: Kind;
  readonly rule: RuleName;
  readonly tag: string;
}

/** Random choices of templates. */
export interface Draw {
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  /** As `whole`, but none of `except`. */
  other(least: number, most: number, ...except: readonly number[]): number;
  pick<T>(items: readonly T[]): T;
}

/** @param random - one stream: what is drawn depends on all that was drawn before */
export function drawFrom({ uniform }: Random): Draw {
  const whole = (least: number, most: number): number => least + Math.floor(uniform() * (most - least + 1));
  return {
    whole,
    other(least, most, ...except) {
      for (;;) {
        const n = whole(least, most);
        if (!except.includes(n)) return n;
      }
    },
    pick: (items) => items[whole(0, items.length - 1)] as (typeof items)[number],
  };
}

export function gcd(a: number, b: number): number {
  return b === 0 ? Math.abs(a) : gcd(b, a % b);
}

/** With commas between thousands. */
export function grouped(n: number | bigint, by = ","): string {
  return String(n).replaceAll(/\B(?=(?:\d{3})+$)/gu, by);
}
