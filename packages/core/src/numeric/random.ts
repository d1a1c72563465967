import { cosine } from "./cosine.ts";
import { inputError } from "../errors.ts";
import { logarithm } from "./exponential.ts";

/** Position of a random stream. */
export type RandomState = readonly [number, number, number, number];

/**
 * Seeded stream (xoshiro128**, Blackman and Vigna 2018). `split` derives an independent one without moving this one, so
 * that new consumers never change other draws.
 */
export interface Random {
  /** Uniform in [0, 1), 32 bits. */
  uniform(): number;
  /** Uniform integer in [0, bound). */
  integer(bound: number): number;
  /** Standard normal (Box-Muller, one value per call). */
  normal(): number;
  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T;
  /** Shuffled copy (Fisher-Yates). */
  shuffle<T>(items: readonly T[]): T[];
  split(label: string | number): Random;
  state(): RandomState;
}

/** Starts a stream from a text or number. */
export function randomFromSeed(seed: string | number): Random {
  if (typeof seed === "number" && !Number.isFinite(seed))
    throw inputError(`a seed must be a string or a finite number, not ${seed}`);
  return randomFromState(hash128(`seed:${seed}`));
}

/**
 * Stream of a measured problem, equal in evaluations, `laconic eval` and benches.
 * @param index - problem index, from 0
 * @param repeat - sample index, from 0
 */
export function sampleStream(seed: string | number, index: number, repeat = 0): Random {
  const first = randomFromSeed(seed).split("evaluation").split(index);
  return repeat === 0 ? first : first.split(`repeat/${repeat}`);
}

/** Resumes a stream. */
export function randomFromState(state: RandomState): Random {
  let [a, b, c, d] = state;
  if ((a | b | c | d) === 0) d = 1; // the all-zero state is the only fixed point

  function next(): number {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = rotateLeft(d, 11);
    return result;
  }
  const uniform = () => next() / 4294967296;
  const integer = (bound: number) => Math.floor(uniform() * bound);

  return {
    uniform,
    integer,
    normal: () => Math.sqrt(-2 * logarithm(1 - uniform())) * cosine(2 * Math.PI * uniform()),
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new RangeError("pick: the list is empty");
      return items[integer(items.length)] as T;
    },
    shuffle: <T>(items: readonly T[]): T[] => {
      const copy = [...items];
      for (let i = copy.length - 1; i > 0; i--) {
        const j = integer(i + 1);
        [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
      }
      return copy;
    },
    split: (label) => randomFromState(hash128(`${a >>> 0},${b >>> 0},${c >>> 0},${d >>> 0}/${label}`)),
    state: () => [a >>> 0, b >>> 0, c >>> 0, d >>> 0],
  };
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** 128-bit mixing hash of UTF-16 units (MurmurHash3's finaliser constants); not cryptographic. */
function hash128(text: string): RandomState {
  let h1 = 1779033703;
  let h2 = 3144134277;
  let h3 = 1013904242;
  let h4 = 2773480762;
  for (let i = 0; i < text.length; i++) {
    const k = text.charCodeAt(i);
    h1 = h2 ^ Math.imul(h1 ^ k, 597399067);
    h2 = h3 ^ Math.imul(h2 ^ k, 2869860233);
    h3 = h4 ^ Math.imul(h3 ^ k, 951274213);
    h4 = h1 ^ Math.imul(h4 ^ k, 2716044179);
  }
  const mix = (h: number) => {
    let x = h;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (x ^ (x >>> 16)) >>> 0;
  };
  return [mix(h1 ^ h2), mix(h2 ^ h3 ^ 0x9e3779b9), mix(h3 ^ h4 ^ 0x3c6ef372), mix(h4 ^ h1 ^ 0xdaa66d2b)];
}
