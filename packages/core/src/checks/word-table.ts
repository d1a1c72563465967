/** A table without inherited keys such as `constructor`, for keys that a model, a request or a file chooses. */
export function wordTable<Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.assign(Object.create(null) as Record<string, Value>, entries);
}
