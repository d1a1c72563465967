// npm run -s laconic -- ARGS: the command line, from the repository. npm start: `laconic quickstart`, a small team from nothing.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib/root.mjs";
import { setUp } from "./lib/setup.mjs";

await setUp();
// The same process becomes the command line, so signals and exit codes are its own.
const entry = join(root, "apps", "trainer", "assets", "laconic.mjs");
process.argv[1] = entry;
// Commands that it advises can be typed as they are: nothing is installed globally.
process.env.LACONIC_COMMAND ??= "npm run -s laconic --";
// Relative paths mean the folder where the user typed the command.
process.chdir(process.env.INIT_CWD ?? process.cwd());
await import(pathToFileURL(entry).href);
