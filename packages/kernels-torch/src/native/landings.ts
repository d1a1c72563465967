import type { Handle } from "./operator.ts";

/** Host memory that a GPU writes to. */
export interface Landing {
  readonly handle: Handle;
  readonly address: number;
  /** Its type and shape. */
  readonly kind: string;
  readonly bytes: number;
}

/** Larger ones are given back at once. */
const maxBytes = 2 ** 16;
const maxKept = 8;

/** Host memory of small reads, kept for the next ones: decode steps read the same again and again, one read while another is under way. */
export class Landings {
  readonly #kept: Landing[] = [];
  readonly #delete: (handle: Handle) => void;

  constructor(remove: (handle: Handle) => void) {
    this.#delete = remove;
  }

  get count(): number {
    return this.#kept.length;
  }

  take(kind: string, make: () => Pick<Landing, "handle" | "address">, bytes: number): Landing {
    const at = this.#kept.findIndex((landing) => landing.kind === kind);
    return at < 0 ? { ...make(), kind, bytes } : (this.#kept.splice(at, 1)[0] as Landing);
  }

  leave(landing: Landing): void {
    if (landing.bytes <= maxBytes) this.#kept.push(landing);
    const surplus = landing.bytes > maxBytes ? landing : this.#kept.length > maxKept ? this.#kept.shift() : undefined;
    if (surplus) this.#delete(surplus.handle);
  }
}
