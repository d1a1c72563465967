// npm run -s laconic -- ARGS: the command line, from the repository. npm start: `laconic quickstart`.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib/root.mjs";
import { setUp } from "./lib/setup.mjs";

await setUp();
// The command line runs in this process, so signals and exit codes are its own.
const entry = join(root, "apps", "trainer", "assets", "laconic.mjs");
process.argv[1] = entry;
// Advised commands can be typed directly: nothing is installed globally.
process.env.LACONIC_COMMAND ??= "npm run -s laconic --";
// `init` depends on tarballs of this clone, because the packages are not published.
process.env.LACONIC_PACK ??= join(root, "scripts", "pack.mjs");
// Relative paths start at the user's folder.
process.chdir(process.env.INIT_CWD ?? process.cwd());
await import(pathToFileURL(entry).href);
