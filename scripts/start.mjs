// npm start: sets up what is missing, then trains a small team from nothing (`laconic quickstart`).
import { laconic } from "./lib/laconic.mjs";
import { setUp } from "./lib/setup.mjs";

await setUp();
await laconic(["quickstart", ...process.argv.slice(2)]);
