/** Commands for shell completion and `--help`. */
export interface CommandList {
  readonly commands: readonly ListedWords[];
  readonly presets: readonly string[];
}

export interface ListedWords {
  /** Name such as `data ls`. */
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly ListedArgument[];
  readonly flags: readonly ListedFlag[];
  /** Kind of positional argument. */
  readonly takes: "configuration" | "run" | "other";
}

export interface ListedArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export interface ListedFlag {
  readonly name: string;
  readonly description: string;
  readonly valued: boolean;
  /** Allowed values, if limited. */
  readonly values: readonly string[];
  /** Placeholder for the value. */
  readonly hint?: string;
  readonly default?: string;
  readonly required?: true;
  readonly alias?: readonly string[];
}
