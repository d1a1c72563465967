import { absolutePath } from "#platform";

/** The name of a folder. */
export function lastOf(directory: string): string {
  return (
    absolutePath(directory)
      .split(/[\\/]/u)
      .findLast((part) => part !== "") ?? directory
  );
}
