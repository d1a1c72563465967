import type { StopTexts } from "@laconic/core";

const space = 0x20;

/** Looks for stop texts in a reply as its tokens come. A text may begin and end anywhere in a token, and within a character's bytes. */
export class StopMatcher {
  readonly #stops: readonly Uint8Array[];
  readonly #spelling: StopTexts["tokenBytes"];
  /** Bytes before a token that a stop text ending in it can begin with. */
  readonly #reach: number;
  /** The reply's last bytes, `reach` of them at most. */
  #tail: Uint8Array = new Uint8Array();
  #empty = true;

  constructor({ texts, tokenBytes }: StopTexts) {
    this.#stops = texts.filter((text) => text !== "").map((text) => new TextEncoder().encode(text));
    this.#spelling = tokenBytes;
    this.#reach = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
  }

  /** Whether the token completes a stop text. */
  push(token: number): boolean {
    const added = this.#bytesOf(token);
    if (added.length === 0) return false;
    const window = new Uint8Array(this.#tail.length + added.length);
    window.set(this.#tail);
    window.set(added, this.#tail.length);
    this.#tail = window.subarray(Math.max(0, window.length - this.#reach));
    return this.#stops.some((stop) => holds(window, stop));
  }

  #bytesOf(token: number): Uint8Array {
    const { bytes, offsets, dropsFirstSpace } = this.#spelling;
    // A model's vocabulary may be padded beyond its tokenizer's.
    const added = bytes.subarray(offsets[token] ?? 0, offsets[token + 1] ?? 0);
    if (!this.#empty || added.length === 0) return added;
    this.#empty = false;
    return dropsFirstSpace && added[0] === space ? added.subarray(1) : added;
  }
}

function holds(text: Uint8Array, part: Uint8Array): boolean {
  for (let at = 0; at + part.length <= text.length; at++) {
    let same = 0;
    while (same < part.length && text[at + same] === part[same]) same++;
    if (same === part.length) return true;
  }
  return false;
}
