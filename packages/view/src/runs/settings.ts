import { isRecord, type UnknownRecord } from "@laconic/core";

/** Leaves by dotted key; lists are leaves, as JSON. */
export function settingsOf(value: unknown, path = ""): Record<string, string | number | boolean | null> {
  if (!isRecord(value)) {
    const isPlain = value === null || ["string", "number", "boolean"].includes(typeof value);
    return path === "" ? {} : { [path]: isPlain ? (value as string) : (JSON.stringify(value) ?? null) };
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      Object.entries(settingsOf(item, path === "" ? key : `${path}.${key}`)),
    ),
  );
}

/** Target tokens per episode in training settings; null without a budget. */
export function budgetOf(train: UnknownRecord): number | null {
  const { targetTokens } = recordOf(train["budget"]);
  return typeof targetTokens === "number" ? targetTokens : null;
}

/** Empty for a value that is no object. */
export function recordOf(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}
