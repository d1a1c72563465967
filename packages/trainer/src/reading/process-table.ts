/** Process that may hold a run directory; injected, so that tests decide who is alive. */
export interface ProcessTable {
  readonly pid: number;
  /** Name of the machine that the processes run on. */
  readonly host: string;
  isAlive(pid: number): boolean;
}
