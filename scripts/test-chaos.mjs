// npm run test:chaos: kills, damage, full disks, hostile peers, bad input. `-- --long` tests every point instead of a sample
// (half an hour). Other arguments select files, as in `npm run test:chaos -- kills`. The last line has the totals.
import { setUp } from "./lib/setup.mjs";
import { endWith, runVitest } from "./lib/vitest.mjs";

await setUp();
const words = process.argv.slice(2);
const isLong = words.includes("--long");
const filters = words.filter((word) => word !== "--long");
endWith(await runVitest("chaos", filters, { LACONIC_CHAOS: isLong ? "long" : "short" }));
