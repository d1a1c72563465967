/**
 * Values that stay open until a command is over.
 * @module @laconic/runtime/shared-values
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { thrownText } from "@laconic/core";

interface OpenValues {
  readonly byKey: Map<string, Promise<object>>;
  /** In order of opening. */
  readonly closing: Map<object, { readonly location: string; readonly close: () => unknown }>;
}

const scope = new AsyncLocalStorage<OpenValues>();

/**
 * Runs a command whose check, training and sweep runs share a module's exports. Then closes them in reverse order, and
 * continues after an error. An inner call shares the values of the outer one.
 * @param warn - called for each value that cannot be closed
 */
export async function sharingValues<T>(warn: (message: string) => void, run: () => Promise<T>): Promise<T> {
  if (scope.getStore()) return run();
  const values: OpenValues = { byKey: new Map(), closing: new Map() };
  try {
    return await scope.run(values, run);
  } finally {
    const all = [...values.closing.values()].toReversed();
    for (const { location, close } of all)
      try {
        await close();
      } catch (error) {
        warn(`${location} could not be closed: ${thrownText(error)}`);
      }
    if (all.length > 0) (await import("./load-source.ts")).forgetModules();
  }
}

/** Keeps a value open until the command ends. @param location - file and export, for messages */
export function closeAtEnd(value: object & { close?(): unknown }, location: string): void {
  const closing = scope.getStore()?.closing;
  if (value.close && closing?.has(value) === false) closing.set(value, { location, close: () => value.close?.() });
}

/** Opens a value once per command. */
export function openedOnce(key: string, location: string, make: () => Promise<object>): Promise<object> {
  const byKey = scope.getStore()?.byKey;
  const opening = byKey?.get(key) ?? make();
  byKey?.set(key, opening);
  opening.then(
    (value) => closeAtEnd(value, location),
    () => byKey?.delete(key),
  );
  return opening;
}
