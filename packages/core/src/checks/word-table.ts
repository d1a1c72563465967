/**
 * A table that has its own words alone: whoever looks up `constructor` in an object literal finds something. For words that a model, a
 * request or a file may choose.
 */
export function wordTable<Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.assign(Object.create(null) as Record<string, Value>, entries);
}
