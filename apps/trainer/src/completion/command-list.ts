/** What a shell is told of a command line: everything that can be typed and is known before. */
export interface CommandList {
  readonly commands: readonly ListedWords[];
  readonly presets: readonly string[];
}

/** A command, or one inside another. */
export interface ListedWords {
  /** `data ls`. */
  readonly name: string;
  readonly description: string;
  readonly flags: readonly ListedFlag[];
  /** Takes a configuration, a run folder, or anything else behind its flags. */
  readonly takes: "configuration" | "run" | "other";
}

/** A flag of a command. */
export interface ListedFlag {
  readonly name: string;
  readonly description: string;
  /** Needs a value behind it. */
  readonly valued: boolean;
  /** Values that it may have, where they are known. */
  readonly values: readonly string[];
}
