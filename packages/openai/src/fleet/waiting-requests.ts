import { LaconicError } from "@laconic/core";
import { chooseServer } from "./choose-server.ts";
import type { Member } from "./member.ts";

/** What a request wants of a server. */
export interface Wanted {
  /** Of `prefixHash`. */
  readonly prefix: number;
  /** Name of the weights that are to answer. */
  readonly weights: string;
  /** Servers that failed this request: not again, while others are up. */
  readonly avoid: ReadonlySet<Member>;
}

interface Waiting extends Wanted {
  readonly slot: (member: Member) => void;
  readonly fail: (error: Error) => void;
}

/** Milliseconds that a request waits for weights on their way to the server that it would go to, before it goes to another. */
export const loadGraceMs = 1000;

/** Requests that wait for a server, first come first served. */
export class WaitingRequests {
  #waiting: Waiting[] = [];

  get count(): number {
    return this.#waiting.length;
  }

  /** @returns the server, of which a slot is taken. @throws LaconicError `aborted`, or what `failAll` is given */
  add(wanted: Wanted, signal: AbortSignal | undefined, onAdded: () => void): Promise<Member> {
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(new LaconicError("aborted", "the request was aborted"));
      };
      const done = (): void => signal?.removeEventListener("abort", aborted);
      const waiting: Waiting = {
        ...wanted,
        slot: (member) => {
          done();
          resolve(member);
        },
        fail: (error) => {
          done();
          reject(error);
        },
      };
      if (signal?.aborted) return aborted();
      signal?.addEventListener("abort", aborted, { once: true });
      this.#waiting.push(waiting);
      onAdded();
    });
  }

  /**
   * Seats those for whom a server is free.
   * @param up - servers that are asked
   * @returns whether some wait for weights that are on their way
   */
  seat(up: readonly Member[], slack: number, nowMs: number): boolean {
    const seated = new Set<Waiting>();
    let someAwait = false;
    for (const waiting of this.#waiting) {
      const { prefix, weights, avoid, slot } = waiting;
      const others = up.filter((other) => !avoid.has(other));
      const able = others.length > 0 ? others : up;
      const soon = able.filter((other) => nowMs - (other.awaitsSinceMs(weights) ?? nowMs) < loadGraceMs);
      const member = chooseServer(soon, prefix, slack);
      const awaits = member !== null && member.awaitsSinceMs(weights) !== null;
      someAwait ||= awaits;
      // Requests of other weights may have a server.
      if (!member || awaits) continue;
      member.inFlight += 1;
      seated.add(waiting);
      slot(member);
    }
    if (seated.size > 0) this.#waiting = this.#waiting.filter((waiting) => !seated.has(waiting));
    return someAwait;
  }

  failAll(error: LaconicError): void {
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }
}
