export interface ApiReport {
  readonly entry: string;
  readonly names: readonly string[];
  readonly signatures: readonly string[];
  /** Exports without a doc comment, with their file. */
  readonly undocumented: readonly string[];
}

export function apiReports(): readonly ApiReport[];
