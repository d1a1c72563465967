/** A configuration by name, as a file would hold it. */
export type Preset = Readonly<Record<string, unknown>>;
