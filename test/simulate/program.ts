/** Program of the simulated machine. The world answers its calls to Node until it is killed. */
export interface Program {
  readonly pid: number;
  isAlive: boolean;
  /** End of the current pause. */
  pausedUntil: number;
  diskUntil: number;
  /** Fires on a request to end, like Ctrl-C. */
  readonly stop: AbortController;
  /** Resources that keep its process alive: open files, timers, requests. */
  readonly holds: Set<Held>;
  readonly writes: Set<string>;
  readonly failures: string[];
  /** Called at its end, such as for closing connections. */
  readonly whenOver: Set<() => void>;
  /** Reports its kill to its starter. */
  end(ended: Ended<never>): void;
}

export interface Held {
  readonly name: string;
  readonly takeBack?: (() => void) | undefined;
}

export type Ended<T> =
  | { readonly how: "done"; readonly value: T }
  | { readonly how: "failed"; readonly error: unknown }
  | { readonly how: "killed"; readonly by: "kill" | "power" };

export interface Operation {
  readonly kind: "read" | "write" | "sync" | "rename" | "other";
  readonly label: string;
  tear?(share: number): void;
}

/** Broken invariant: the seed's finding. */
export class Violation extends Error {
  override readonly name = "Violation";
}
