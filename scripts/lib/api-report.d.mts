/** Exports of one entry of a package. */
export interface ApiReport {
  readonly entry: string;
  readonly names: readonly string[];
  /** One line for each name. */
  readonly signatures: readonly string[];
  /** Exports without a doc comment, with their file. */
  readonly undocumented: readonly string[];
}

export function apiReports(): readonly ApiReport[];
