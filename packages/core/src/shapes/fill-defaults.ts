import { isRecord } from "./is-record.ts";
import type { Field } from "./shape.ts";

/** Adds the defaults of missing settings that have an effect. */
export function fillDefaults<T extends object>(shape: { readonly fields: object }, settings: T): T {
  const found: Record<string, unknown> = Object.fromEntries(Object.entries(settings));
  for (const [name, field] of Object.entries(shape.fields as Readonly<Record<string, Field>>)) {
    if (found[name] === undefined && field.default !== undefined && (field.actsWith?.(found) ?? true))
      found[name] = field.default;
    else if (field.shape.kind === "group" && isRecord(found[name]))
      found[name] = fillDefaults(field.shape, found[name]);
  }
  return found as T;
}
