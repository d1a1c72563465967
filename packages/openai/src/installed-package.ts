/**
 * Imports a package that need not be installed.
 * @returns null where it is not installed; anything else that keeps it from loading is thrown
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
