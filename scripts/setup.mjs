// npm run setup: installs everything that `npm start` and `npm test` need, if missing.
import { setUp } from "./lib/setup.mjs";

await setUp();
console.error("Laconic is set up. Next: npm start, npm test, or npm run -s laconic -- --help");
