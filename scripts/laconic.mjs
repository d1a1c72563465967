// npm run -s laconic -- ARGS: the command line, from the repository.
import { laconic } from "./lib/laconic.mjs";
import { setUp } from "./lib/setup.mjs";

await setUp();
await laconic(process.argv.slice(2));
