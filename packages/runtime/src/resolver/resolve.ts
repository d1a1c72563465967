import { isRecord, LaconicError, thrownText } from "@laconic/core";
import { kinds, type KindName } from "./kinds.ts";
import { exportOf, loadSource } from "./load-source.ts";
import { isModuleFile, referencePlace, type Reference } from "./reference.ts";

/** A value of a module. */
export interface ResolvedValue {
  readonly value: unknown;
  /** A function made it, for this use alone; else it is one that everything shares. */
  readonly made: boolean;
}

/** The value that a reference stands for, as `openReference` finds it. */
export async function resolveReference(reference: Reference, kind: KindName, resources?: object): Promise<unknown> {
  return (await openReference(reference, kind, resources)).value;
}

/**
 * The value that a reference stands for: its module is imported, and its export called where it has settings.
 * @param resources - what a function is called with beside its settings; a task that is a function of them alone is called too
 * @throws LaconicError `config_invalid` naming file and export where it is not what is needed
 */
export async function openReference(reference: Reference, kind: KindName, resources?: object): Promise<ResolvedValue> {
  const { file, export: name, path = [], settings } = reference;
  const { read } = kinds[kind];
  let value = read && !isModuleFile(file) ? await read(file) : exportOf(await loadSource(file), file, name);
  for (const key of path)
    value = isRecord(value) || Array.isArray(value) ? (value as Record<string, unknown>)[key] : undefined;
  let made = false;
  const what = reference.path ? "the value" : name === "default" ? "its default export" : `its export ${name}`;
  const refused = (reason: string): LaconicError =>
    new LaconicError("config_invalid", `${placeOf(reference)}: ${what} ${reason}`, { file, export: name });
  if (settings) {
    if (typeof value !== "function")
      throw refused(`takes no settings: a function that is called with them and returns a ${kinds[kind].noun} would`);
    value = await called(value, [settings, resources]);
  }
  if (resources !== undefined && typeof value === "function") value = await called(value, [resources]);
  const lack = kinds[kind].lacks(value);
  if (lack !== null) throw refused(`is no ${kinds[kind].noun}: ${lack}`);
  return { value, made };

  async function called(make: unknown, given: readonly unknown[]): Promise<unknown> {
    made = true;
    try {
      return await (make as (...all: readonly unknown[]) => unknown)(...given);
    } catch (error) {
      const message = thrownText(error);
      const code = LaconicError.is(error) ? error.code : "config_invalid";
      const reason = `was called to make a ${kinds[kind].noun} and failed: ${message}`;
      throw new LaconicError(code, refused(reason).message, { file, export: name }, error);
    }
  }
}

/** Without the export, which the message says in words. */
function placeOf(reference: Reference): string {
  return reference.path ? referencePlace(reference) : reference.file;
}
