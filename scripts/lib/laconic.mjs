import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./root.mjs";

/**
 * Becomes the command line: same process, so signals and exit codes are its own.
 * Relative paths mean the folder where the user typed the command.
 *
 * @param {readonly string[]} args
 */
export async function laconic(args) {
  const entry = join(root, "apps", "trainer", "assets", "laconic.mjs");
  process.argv.splice(1, Infinity, entry, ...args);
  // What is told to be typed next is what can be typed here: nothing is installed globally.
  process.env.LACONIC_COMMAND ??= "npm run -s laconic --";
  process.chdir(process.env.INIT_CWD ?? process.cwd());
  await import(pathToFileURL(entry).href);
}
