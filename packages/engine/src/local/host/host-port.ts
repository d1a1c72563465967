import type { LaconicError } from "@laconic/core";

/** The way to an engine on another thread. */
export interface HostPort {
  /** @param move - memory that the sender gives up */
  post(message: unknown, move: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: never) => void): void;
  /** The thread is gone, or what it sent cannot be read. */
  onFailure(listener: (error: LaconicError) => void): void;
  /** Whether somebody waits for an answer. */
  wait(isBusy: boolean): void;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** The way back. */
export interface ServingPort {
  post(message: unknown, move: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: never) => void): void;
  close(): void;
}
