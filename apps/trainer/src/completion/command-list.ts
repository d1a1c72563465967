/** Commands for shell completion and `--help`. */
export interface CommandList {
  readonly commands: readonly ListedWords[];
  readonly presets: readonly { readonly name: string; readonly description: string }[];
}

export interface ListedWords {
  /** Name such as `data ls`. */
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  readonly flags: readonly ListedFlag[];
  readonly examples: readonly string[];
  readonly takes: "configuration" | "run" | "other";
}

export interface ListedFlag {
  readonly name: string;
  readonly group: string;
  readonly description: string;
  readonly valued: boolean;
  readonly values: readonly string[];
  readonly hint?: string;
  readonly default?: string;
  readonly required?: true;
  readonly alias?: readonly string[];
}
