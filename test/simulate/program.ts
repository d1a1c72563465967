/** A program of the simulated machine. What it calls of Node's is answered by the world, until it is killed. */
export interface Program {
  readonly pid: number;
  isAlive: boolean;
  /** It stands still up to this time. */
  pausedUntil: number;
  /** The disk answers all that it has been asked by this time. */
  diskUntil: number;
  /** Fires when it is asked to end, as by ctrl-c. */
  readonly stop: AbortController;
  /** What keeps its process from ending: open files, timers, requests. */
  readonly holds: Set<Held>;
  /** What it does to the disk just now. */
  readonly writes: Set<string>;
  /** What it could not do to the disk. */
  readonly failures: string[];
  /** Called once it has ended, however: as connections of a process are closed with it. */
  readonly whenOver: Set<() => void>;
  /** Tells who started it that it was killed. */
  end(ended: Ended<never>): void;
}

/** Something that the system gives a program, and takes back when it is killed. */
export interface Held {
  readonly name: string;
  readonly takeBack?: (() => void) | undefined;
}

/** How a program ended. */
export type Ended<T> =
  | { readonly how: "done"; readonly value: T }
  | { readonly how: "failed"; readonly error: unknown }
  | { readonly how: "killed"; readonly by: "kill" | "power" };

/** What an operation does to the disk, so that faults know what they may do to it. */
export interface Operation {
  readonly kind: "read" | "write" | "sync" | "rename" | "other";
  readonly label: string;
  /** Does a part of it, where it can be torn. */
  tear?(share: number): void;
}

/** Something is not as it has to be: the seed's finding. */
export class Violation extends Error {
  override readonly name = "Violation";
}
