/**
 * Values that stay open until a command is over.
 * @module @laconic/runtime/shared-values
 */
import { thrownText } from "@laconic/core";

/** Values to close, in order of opening. */
const open = new Map<object, { readonly place: string; readonly close: () => unknown }>();

/**
 * Keeps a value open until the command ends. A command's check, training and sweep runs share a module's exports.
 * @param place - file and export, for messages
 */
export function closeAtEnd(value: object & { close?(): unknown }, place: string): void {
  if (value.close && !open.has(value)) open.set(value, { place, close: () => value.close?.() });
}

const opened = new Map<string, Promise<object>>();

/** Opens a value once per command. */
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
 * Closes in reverse order; continues after an error.
 * @param warn - called for each failure
 * @returns whether any value was open
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
