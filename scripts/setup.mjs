// npm run setup: everything that `npm start` and `npm test` need, and nothing when it is there.
import { setUp } from "./lib/setup.mjs";

await setUp();
console.error("Laconic is set up. Next: npm start, npm test, or npm run -s laconic -- --help");
