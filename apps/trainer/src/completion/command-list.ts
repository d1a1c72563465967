/** What a shell completes and `--help` prints: everything that can be typed, without reading the commands themselves. */
export interface CommandList {
  readonly commands: readonly ListedWords[];
  readonly presets: readonly string[];
}

/** A command, or one inside another. */
export interface ListedWords {
  /** `data ls`. */
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly ListedArgument[];
  readonly flags: readonly ListedFlag[];
  /** Takes a configuration, a run folder, or anything else behind its flags. */
  readonly takes: "configuration" | "run" | "other";
}

/** A word that stands behind a command by its place. */
export interface ListedArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** A flag of a command. */
export interface ListedFlag {
  readonly name: string;
  readonly description: string;
  /** Needs a value behind it. */
  readonly valued: boolean;
  /** Values that it may have, where they are known. */
  readonly values: readonly string[];
  /** What its value is, in a word. */
  readonly hint?: string;
  readonly default?: string;
  readonly required?: true;
  readonly alias?: readonly string[];
}
