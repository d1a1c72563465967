import { LaconicError } from "@laconic/core";
import type { Member } from "./member.ts";

export interface SlotRequest {
  readonly prefix: number;
  readonly weights: string;
  /** Servers that failed this request. */
  readonly avoid: ReadonlySet<Member>;
}

interface Waiting extends SlotRequest {
  readonly slot: (member: Member) => void;
  readonly fail: (error: Error) => void;
}

/** Milliseconds to wait while the preferred server loads the weights. */
export const loadGraceMs = 1000;

export class WaitingRequests {
  #waiting: Waiting[] = [];

  get count(): number {
    return this.#waiting.length;
  }

  /** @returns the server, with a slot taken @throws LaconicError `aborted`, or the error of `failAll` */
  add(request: SlotRequest, signal: AbortSignal | undefined, onAdded: () => void): Promise<Member> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(new LaconicError("aborted", "the request was aborted"));
      };
      const ending =
        <T>(end: (value: T) => void) =>
        (value: T): void => {
          signal?.removeEventListener("abort", abort);
          end(value);
        };
      const waiting: Waiting = { ...request, slot: ending(resolve), fail: ending(reject) };
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiting);
      onAdded();
    });
  }

  seat(up: readonly Member[], slack: number, nowMs: number): boolean {
    const seated = new Set<Waiting>();
    let someLoad = false;
    for (const waiting of this.#waiting) {
      const { prefix, weights, avoid, slot } = waiting;
      const others = up.filter((member) => !avoid.has(member));
      const able = (others.length > 0 ? others : up).filter(
        (member) => nowMs - (member.loadsSinceMs(weights) ?? nowMs) < loadGraceMs,
      );
      const member = chooseServer(able, prefix, slack);
      const loads = member !== null && member.loadsSinceMs(weights) !== null;
      someLoad ||= loads;
      if (!member || loads) continue;
      member.inFlight += 1;
      seated.add(waiting);
      slot(member);
    }
    if (seated.size > 0) this.#waiting = this.#waiting.filter((waiting) => !seated.has(waiting));
    return someLoad;
  }

  failAll(error: LaconicError): void {
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }
}

export type Candidate = Pick<Member, "url" | "inFlight" | "slots">;

/**
 * Chooses the server whose cache most likely has the prompt's prefix, unless it has `slack` requests more than the
 * idlest. Null if every slot is taken. Rendezvous hashing (Thaler and Ravishankar 1998): a server that joins or leaves
 * moves only its own prompts.
 */
export function chooseServer<C extends Candidate>(candidates: readonly C[], prefix: number, slack: number): C | null {
  const free = candidates.filter(({ inFlight, slots }) => inFlight < slots);
  const idlest = Math.min(...free.map(({ inFlight }) => inFlight));
  let chosen: C | null = null;
  let best = -1;
  for (const candidate of free) {
    if (candidate.inFlight > idlest + slack) continue;
    const weight = textHash(candidate.url, prefix);
    if (weight > best) [chosen, best] = [candidate, weight];
  }
  return chosen;
}

/** FNV-1a of the first tokens, as an unsigned 32-bit number. */
export function prefixHash(tokens: readonly number[], length: number): number {
  let hash = 0x811c9dc5;
  for (const token of tokens.slice(0, length)) hash = mixed(hash, token);
  return hash >>> 0;
}

function textHash(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i));
  // MurmurHash3's finalizer spreads the last characters of addresses.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixed(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193);
}
