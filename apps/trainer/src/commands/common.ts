import type { Terminal } from "../cli/terminal.ts";

/** What every command gets. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Tells whoever waits that a command is being read; absent where nobody does. */
  readonly whileLoading?: <T>(name: string, load: () => Promise<T>) => Promise<T>;
}
