/** A configuration by name, as a file would hold it. */
export type Preset = Readonly<Record<string, unknown>>;

/**
 * For chat templates: no thoughts before the answer, which would use up the tokens of a short reply. Qwen3 thinks unless it
 * is told; templates that do not know the argument ignore it.
 */
export const answerAtOnce: Readonly<Record<string, unknown>> = { enable_thinking: false };
