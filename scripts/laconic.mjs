// npm run -s laconic -- ARGS: the command line, from the repository. npm start: `laconic quickstart`.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib/root.mjs";
import { setUp } from "./lib/setup.mjs";

await setUp();
// Signals and exit codes are its own.
const entry = join(root, "apps", "trainer", "assets", "laconic.mjs");
process.argv[1] = entry;
// Nothing is installed globally.
process.env.LACONIC_COMMAND ??= "npm run -s laconic --";
// The packages are not published, so `init` uses tarballs of this clone.
process.env.LACONIC_PACK ??= join(root, "scripts", "pack.mjs");
process.chdir(process.env.INIT_CWD ?? process.cwd());
await import(pathToFileURL(entry).href);
