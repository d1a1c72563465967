/** What a helper of a kernel set is started with; structured-cloneable where threads share memory. */
export interface HelperSetup {
  /** Compiled, over a shared memory. */
  readonly module: object;
  readonly memory: object;
  /** Where the board is. */
  readonly address: number;
  /** Of functions, in the order of their numbers on the board. */
  readonly names: readonly string[];
  /** Of working space; the calling thread is 0. */
  readonly thread: number;
}

/** Starts a helper, which keeps no process alive. One that does not start takes no part, and nobody waits for it. */
export type StartHelper = (setup: HelperSetup) => void;
