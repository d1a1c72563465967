/**
 * Values that stay open until a command is over.
 * @module @laconic/runtime/shared-values
 */
import { thrownText } from "@laconic/core";

/** What is to be closed once a command is over, with where it comes from; in the order in which it was opened. */
const open = new Map<object, { readonly place: string; readonly close: () => unknown }>();

/**
 * Keeps a value open until the command is over. What a module exports is one value for everything that a command opens: its
 * sandbox, judge or server serves the check beforehand as well as the training, and each run of a sweep.
 *
 * @param place - file and export, for messages
 */
export function closeAtEnd(value: object & { close?(): unknown }, place: string): void {
  if (value.close && !open.has(value)) open.set(value, { place, close: () => value.close?.() });
}

/** By what was asked for. */
const opened = new Map<string, Promise<object>>();

/**
 * Opens a value at the first call and gives the same one to every later call, until the command is over.
 * @param key - what is asked for
 */
export function openedOnce(key: string, place: string, make: () => Promise<object>): Promise<object> {
  const found = opened.get(key) ?? make();
  opened.set(key, found);
  found.then(
    (value) => closeAtEnd(value, place),
    () => opened.delete(key),
  );
  return found;
}

/**
 * Closes what was kept open, the last first; one that fails keeps no other open.
 * @param warn - told of each that fails
 * @returns whether there was any
 */
export async function closeShared(warn: (message: string) => void): Promise<boolean> {
  const all = [...open.values()].toReversed();
  open.clear();
  opened.clear();
  for (const { place, close } of all)
    try {
      await close();
    } catch (error) {
      warn(`${place} could not be closed: ${thrownText(error)}`);
    }
  return all.length > 0;
}
