// Compares each package's size with its cap (scripts/lib/size-caps.json). `--write` sets the caps to the present sizes,
// unless the whole tree grew.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib/root.mjs";
import { countSizes, sizeFaults } from "./lib/size-counts.mjs";
import { sizeCaps } from "./lib/size-limits.mjs";

const counts = countSizes();
const write = process.argv.includes("--write");
const faults = write ? sizeFaults({ total: counts.total }, sizeCaps) : sizeFaults(counts, sizeCaps);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else if (write) {
  const rows = Object.entries(counts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([room, { source, bytes, tests }]) => `  "${room}": [${source}, ${bytes}, ${tests}]`);
  writeFileSync(join(root, "scripts/lib/size-caps.json"), `{\n${rows.join(",\n")}\n}\n`);
}
console.log(`${counts.total.source} source lines, ${counts.total.bytes} bytes, ${counts.total.tests} test lines`);
