import type Koffi from "koffi";
import { createRequire } from "node:module";
import { LaconicError, thrownText } from "@laconic/core";

/** Memory outside the JavaScript heap at a fixed address below 2^53. */
export interface NativeBlock {
  readonly address: number;
  readonly buffer: ArrayBuffer;
}

function allocateForever(bytes: number): NativeBlock {
  const pointer: unknown = koffi().alloc("char", bytes);
  return { address: Number(koffi().address(pointer)), buffer: koffi().view(pointer, bytes) };
}

const strings = new Map<string, number>();

/** Zero-terminated ASCII copy, never freed. */
export function cString(text: string): number {
  let address = strings.get(text);
  if (address === undefined) {
    const block = allocateForever(text.length + 1);
    const bytes = new Uint8Array(block.buffer);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    bytes[text.length] = 0;
    address = block.address;
    strings.set(text, address);
  }
  return address;
}

export class Slots {
  readonly address: number;
  readonly #words: Uint32Array;
  readonly #doubles: Float64Array;

  constructor(count: number) {
    const block = allocateForever(8 * count);
    this.address = block.address;
    this.#words = new Uint32Array(block.buffer);
    this.#doubles = new Float64Array(block.buffer);
  }

  addressOf(slot: number): number {
    return this.address + 8 * slot;
  }

  /** Writes at most 53 bits; two's complement. */
  setInteger(slot: number, value: number): void {
    this.#words[2 * slot] = value;
    this.#words[2 * slot + 1] = Math.floor(value / 2 ** 32);
  }

  setDouble(slot: number, value: number): void {
    this.#doubles[slot] = value;
  }

  bytes(slot: number): Uint8Array {
    return new Uint8Array(this.#words.buffer, 8 * slot, 8);
  }

  /** Unsigned, at most 53 bits. */
  integer(slot: number): number {
    return this.#words[2 * slot]! + this.#words[2 * slot + 1]! * 2 ** 32;
  }
}

let loaded: typeof Koffi | null = null;

/**
 * Loads Koffi at first use: other devices work without it.
 * @throws LaconicError `device_unavailable`
 */
export function koffi(): typeof Koffi {
  try {
    return (loaded ??= createRequire(import.meta.url)("koffi") as typeof Koffi);
  } catch (error) {
    const message = `native libraries cannot be called here: ${thrownText(error)}; use device wasm`;
    throw new LaconicError("device_unavailable", message, {}, error);
  }
}
