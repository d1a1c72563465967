// npm run api:report: writes what every package exports to docs/api-reports, one page per package.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { root } from "./lib/root.mjs";
import { apiReports } from "./lib/api-report.mjs";

const reports = apiReports();
const folder = join(root, "docs", "api-reports");
await mkdir(folder, { recursive: true });
const written = reports.filter(({ file }) => file !== null);
const current = new Set(written.map(({ file }) => basename(file)));
for (const name of await readdir(folder)) if (!current.has(name)) await rm(join(folder, name));
for (const { file, text } of written) await writeFile(join(root, file), text);
const undocumented = reports.flatMap((report) => report.undocumented);
for (const each of undocumented) console.error(`no doc comment: ${each}`);
console.log(`${written.length} reports in docs/api-reports`);
