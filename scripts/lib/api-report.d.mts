/** What one entry of a package exports. */
export interface ApiReport {
  readonly entry: string;
  /** Relative to the root; null for other entries than a package's first. */
  readonly file: string | null;
  readonly names: readonly string[];
  readonly text: string;
  /** Exports without a doc comment, with their place. */
  readonly undocumented: readonly string[];
}

export function apiReports(): readonly ApiReport[];
