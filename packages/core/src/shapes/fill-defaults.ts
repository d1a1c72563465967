import { isRecord } from "./is-record.ts";
import type { Field } from "./shape.ts";

/** Adds the defaults of missing settings that have an effect. */
export function fillDefaults<T extends object>(shape: { readonly fields: object }, settings: T): T {
  const match: Record<string, unknown> = Object.fromEntries(Object.entries(settings));
  for (const [name, field] of Object.entries(shape.fields as Readonly<Record<string, Field>>)) {
    if (match[name] === undefined && field.default !== undefined && (field.actsWith?.(match) ?? true))
      match[name] = field.default;
    else if (typeof field.shape === "object" && field.shape.kind === "group" && isRecord(match[name]))
      match[name] = fillDefaults(field.shape, match[name]);
  }
  return match as T;
}
