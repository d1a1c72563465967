/**
 * Imports an optional package.
 * @returns null if it is not installed
 * @throws other import errors
 */
export async function installedPackage<T>(name: string, load: () => Promise<T>): Promise<T | null> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" && message.includes(`'${name}'`)) return null;
    throw error;
  }
}
